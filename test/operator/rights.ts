import type { Rendered } from '../charts/render.ts'
import type { AuditEvent } from '../cluster/api/audit.ts'

/** One thing that a service account may do: a verb on a resource, of one name where the rule says names. */
export interface Right {
  /** `Role namespace/name` or `ClusterRole name`. */
  readonly of: string
  /** Undefined: in every namespace. */
  readonly namespace: string | undefined
  readonly group: string
  /** With its subresource, as `meshrelays/status`. */
  readonly resource: string
  readonly verb: string
  readonly name: string | undefined
}

/** Everything that the roles bound to a service account let it do, one by one. */
export function rightsOf(account: string, objects: readonly Rendered[]): readonly Right[] {
  const bindings = objects.filter(
    ({ kind, subjects }) => kind.endsWith('RoleBinding') && (subjects ?? []).some(({ name }) => name === account),
  )
  return bindings.flatMap(({ roleRef, metadata }) => {
    const role = objects.find(
      ({ kind, metadata: one }) =>
        kind === roleRef?.kind &&
        one.name === roleRef.name &&
        (kind === 'ClusterRole' || one.namespace === metadata.namespace),
    )
    if (role === undefined) throw new Error(`${metadata.name} binds a role that is not there`)
    const { namespace } = metadata
    const of = namespace === undefined ? `ClusterRole ${role.metadata.name}` : `Role ${namespace}/${role.metadata.name}`
    return (role.rules ?? []).flatMap((rule) =>
      rule.apiGroups.flatMap((group) =>
        rule.resources.flatMap((resource) =>
          rule.verbs.flatMap((verb) =>
            (rule.resourceNames ?? [undefined]).map((name) => ({ of, namespace, group, resource, verb, name })),
          ),
        ),
      ),
    )
  })
}

/** Whether a request was one that the right permits. */
export function isUse({ namespace, group, resource, verb, name }: Right, event: AuditEvent): boolean {
  const subresource = event.subresource === '' ? '' : `/${event.subresource}`
  return (
    event.apiGroup === group &&
    `${event.resource}${subresource}` === resource &&
    verbsOf(event).includes(verb) &&
    (namespace === undefined || event.namespace === namespace) &&
    (name === undefined || nameOf(event) === name)
  )
}

/** What was refused to service accounts of a namespace, besides in namespaces that go: those take their Roles along at once. */
export function refusals(events: readonly AuditEvent[], namespace: string): readonly string[] {
  const going = new Set(
    events.filter(({ resource, verb }) => resource === 'namespaces' && verb === 'delete').map(({ name }) => name),
  )
  return events
    .filter(({ user, code }) => code === 403 && user.startsWith(`system:serviceaccount:${namespace}:`))
    .filter((event) => !going.has(event.namespace))
    .map(({ user, verb, requestUri }) => `${user}: ${verb} ${requestUri}`)
}

/** Server-side apply of what is not there needs the right to create it too. */
function verbsOf({ verb, code }: AuditEvent): readonly string[] {
  return verb === 'patch' && code === 201 ? ['patch', 'create'] : [verb]
}

/** A list by the name of one object is a right to that object. */
function nameOf({ name, requestUri }: AuditEvent): string {
  if (name !== '') return name
  const selector = new URL(requestUri, 'https://api').searchParams.get('fieldSelector') ?? ''
  return selector.replace('metadata.name=', '')
}

export function textOf({ of, group, resource, verb, name }: Right): string {
  return `${of}: ${verb} ${group === '' ? '' : `${group}/`}${resource}${name === undefined ? '' : ` ${name}`}`
}
