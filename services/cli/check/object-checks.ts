import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import { type MeshObject, relaysOf, titleOf } from '../objects/mesh-object.ts'
import { hintFor, type Trouble, troubleOf } from '../objects/trouble.ts'
import type { Check, Finding } from './line.ts'

export interface ObjectsSubject {
  readonly objects?: readonly MeshObject[]
  /** Nobody judges resources now, and another check has told of that. */
  readonly isUnattended?: boolean
}

/** What the conditions of resources say, one line for each that is not well: of the first condition that is not. */
export const OBJECT_CHECKS: readonly Check<ObjectsSubject>[] = [
  ...KIND_NAMES.map(
    (kind): Check<ObjectsSubject> => ({
      category: 'resources',
      check: kind,
      title: `every ${kind} is well`,
      judge: (subject) => subject.objects && kindFindings(kind, subject.objects, subject.isUnattended === true),
    }),
  ),
  {
    category: 'resources',
    check: 'deletion',
    title: 'nothing that was deleted is held',
    judge: ({ objects }) =>
      objects?.filter(({ isDeleting, isHeld }) => isDeleting && isHeld).map((one) => held(one, objects)),
  },
]

function kindFindings(kind: KindName, objects: readonly MeshObject[], isUnattended: boolean): readonly Finding[] {
  const troubled = new Set(
    objects.filter((object) => object.kind === 'MeshRelay' && troubleOf(object) !== undefined).flatMap(relaysOf),
  )
  return objects
    .filter((object) => object.kind === kind)
    .flatMap((object) => {
      const trouble = troubleOf(object)
      if (trouble === undefined) return []
      if (isUnattended && (trouble.reason === 'NotJudged' || trouble.reason === 'Outdated')) return []
      const isConsequence =
        kind !== 'MeshRelay' && trouble.reason === 'NoRelay' && relaysOf(object).every((relay) => troubled.has(relay))
      return isConsequence ? [] : [finding(object, trouble)]
    })
}

function finding(object: MeshObject, { level, type, reason, message }: Trouble): Finding {
  const hint = hintFor(reason)
  const told = message === '' ? reason : `${reason}: ${message}`
  return { level, message: `${titleOf(object)}: ${type} ${told}`, ...(hint === undefined ? {} : { hint }) }
}

function held(object: MeshObject, objects: readonly MeshObject[]): Finding {
  const users = objects.filter((one) => one !== object && !one.isDeleting && uses(one, object)).map(titleOf)
  const by =
    users.length === 0
      ? ''
      : ` by ${users.slice(0, 3).join(', ')}${users.length > 3 ? ` and ${users.length - 3} more` : ''}`
  return {
    level: 'warning',
    message: `${titleOf(object)}: was deleted and is held${by}`,
    hint: 'delete its users, wait for the end of deletionHold, or annotate it with mesh.causeway.dev/release=now',
  }
}

/** Whether `user` names `used` anywhere in its spec, by the naming rule of the kinds: `...Ref`, `...Refs`, `peers`, `peer`. */
function uses(user: MeshObject, used: MeshObject): boolean {
  const keys = REFERENCE_FIELDS[used.kind]
  return referencesIn(user.spec, keys).some(
    ({ name, namespace }) => name === used.name && (namespace ?? user.namespace) === used.namespace,
  )
}

const REFERENCE_FIELDS: Readonly<Partial<Record<KindName, readonly string[]>>> = {
  MeshRelay: ['relayRefs', 'relayRef'],
  MeshPeer: ['peers', 'peer'],
  MeshBackend: ['backendRef', 'defaultBackend'],
}

interface Named {
  readonly name: string
  readonly namespace?: string
}

function referencesIn(value: unknown, fields: readonly string[] | undefined): readonly Named[] {
  if (typeof value !== 'object' || value === null || fields === undefined) return []
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    const here = fields.includes(key) ? (Array.isArray(one) ? one : [one]).filter(isNamed) : []
    return [...here, ...referencesIn(one, fields)]
  })
}

function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Named>).name === 'string'
}
