import { hasLabels } from '../check/grants.ts'
import { idOf, keyOf, nameOf } from '../check/object-id.ts'
import type { AnyResource } from '../kinds/all-kinds.ts'
import type { SafetyPolicy } from '../kinds/safety-policy.ts'

/** Whether a policy is for an object (CONTROL section 1); `installation` is the namespace whose policies bind every relay. */
function isFor(policy: SafetyPolicy, object: AnyResource, installation: string | undefined): boolean {
  const { kind, metadata } = object
  if (!isTargetKind(kind)) return false
  const { targetRefs, selector } = policy.spec
  const isSame = policy.metadata.namespace === metadata.namespace
  if (targetRefs !== undefined) {
    return isSame && targetRefs.some((target) => target.kind === kind && target.name === metadata.name)
  }
  if (selector !== undefined) {
    const isKind = selector.kinds === undefined || selector.kinds.includes(kind)
    return isSame && isKind && hasLabels(selector.matchLabels, metadata.labels)
  }
  return policy.metadata.namespace === installation ? kind === 'MeshRelay' : isSame
}

/** Which policies there are, by their namespaces. */
export class PolicyTargets {
  readonly #installation: string | undefined
  readonly #policies = new Map<string, Map<string, SafetyPolicy>>()

  constructor(installation: string | undefined) {
    this.#installation = installation
  }

  set(policy: SafetyPolicy): void {
    const { namespace } = policy.metadata
    const policies = this.#policies.get(namespace) ?? new Map<string, SafetyPolicy>()
    this.#policies.set(namespace, policies.set(nameOf(policy.metadata), policy))
  }

  delete(policy: SafetyPolicy): void {
    this.#policies.get(policy.metadata.namespace)?.delete(nameOf(policy.metadata))
  }

  /** The policies that are for an object. */
  of(object: AnyResource): readonly SafetyPolicy[] {
    const near = this.#policies.get(object.metadata.namespace)
    const installation = this.#installation === undefined ? undefined : this.#policies.get(this.#installation)
    const candidates = new Set([...(near?.values() ?? []), ...(installation?.values() ?? [])])
    return [...candidates].filter((policy) => isFor(policy, object, this.#installation))
  }

  /** Keys of the objects, of those given, that a policy is for. */
  targetsOf(policy: SafetyPolicy, objects: Iterable<AnyResource>): string[] {
    return [...objects]
      .filter((object) => isFor(policy, object, this.#installation))
      .map((object) => keyOf(idOf(object)))
  }
}

function isTargetKind(kind: AnyResource['kind']): kind is 'MeshRelay' | 'MeshPeer' | 'MeshBackend' | 'MeshRoute' {
  return kind === 'MeshRelay' || kind === 'MeshPeer' || kind === 'MeshBackend' || kind === 'MeshRoute'
}
