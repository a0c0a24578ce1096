import type { Reference } from '../fields/reference.ts'
import type { AnyResource } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import type { FieldPath } from '../load/field-path.ts'
import { type ObjectId, referredName } from './object-id.ts'

/** One place where an object names another. */
export interface ReferenceSite {
  readonly to: ObjectId
  /** Of the field with the name. */
  readonly fieldPath: FieldPath
}

/** All that an object names, in the order of its fields. */
export function referencesOf(object: AnyResource): readonly ReferenceSite[] {
  const site = (kind: KindName, reference: Reference, at: FieldPath): ReferenceSite => ({
    to: { kind, name: referredName(object, reference) },
    fieldPath: ['spec', ...at, 'name'],
  })
  const one = (kind: KindName, reference: Reference | undefined, ...at: FieldPath): ReferenceSite[] =>
    reference === undefined ? [] : [site(kind, reference, at)]
  const each = (kind: KindName, references: readonly Reference[] | undefined, ...at: FieldPath): ReferenceSite[] =>
    (references ?? []).map((reference, index) => site(kind, reference, [...at, index]))
  const relays = relayRefsOf(object)
  const { kind, spec } = object
  switch (kind) {
    case 'MeshPeer':
      return [
        ...each('MeshRelay', relays, 'relayRefs'),
        ...one('MeshBackend', spec.defaultBackend, 'defaultBackend'),
        ...one('MeshRelay', spec.identityFrom?.relayRef, 'identityFrom', 'relayRef'),
        ...one('TrustAnchor', spec.trustAnchorRef, 'trustAnchorRef'),
      ]
    case 'MeshBackend':
      return [
        ...each('MeshRelay', relays, 'relayRefs'),
        ...each('MeshPeer', spec.peers, 'peers'),
        ...one('MeshPeer', spec.via?.peerRef, 'via', 'peerRef'),
      ]
    case 'MeshRoute':
      return [
        ...each('MeshRelay', relays, 'relayRefs'),
        ...targetsOf(object).flatMap(({ target, at }) => [
          ...one('MeshBackend', target.backendRef, ...at, 'backendRef'),
          ...one('MeshPeer', target.peer, ...at, 'peer'),
        ]),
      ]
    case 'SafetyPolicy':
      return (spec.targetRefs ?? []).map(({ kind: target, name }, index) =>
        site(target, { name }, ['targetRefs', index]),
      )
    case 'DiscoveryRecord':
      return [
        ...each('MeshRelay', relays, 'relayRefs'),
        ...each('MeshPeer', spec.peers, 'peers'),
        ...each('DiscoveryRecord', spec.agent?.tools, 'agent', 'tools'),
      ]
    case 'AgentCard':
      return [
        ...one('MeshBackend', spec.source.backendRef, 'source', 'backendRef'),
        ...each('TrustAnchor', spec.verification.trustAnchorRefs, 'verification', 'trustAnchorRefs'),
        ...one('MeshRelay', spec.signing.relayRef, 'signing', 'relayRef'),
      ]
    case 'AccessKey':
      return spec.allow.flatMap(({ routeRef }, index) => one('MeshRoute', routeRef, 'allow', index, 'routeRef'))
    // Written by the control plane about a call that happens: what it names may be gone when it is read.
    case 'ApprovalRequest':
    case 'MeshRelay':
    case 'TrustAnchor':
      return []
  }
}

/** The relays that an object names as those that it is for; undefined where its kind has none. */
export function relayRefsOf(object: AnyResource): readonly Reference[] | undefined {
  return 'relayRefs' in object.spec ? object.spec.relayRefs : undefined
}

interface Target {
  readonly backendRef?: Reference | undefined
  readonly peer?: (Reference & { readonly target?: string | undefined }) | undefined
}

/** Where requests of a route go, each with its place below `spec`. */
export function targetsOf({ spec }: Extract<AnyResource, { kind: 'MeshRoute' }>): { target: Target; at: FieldPath }[] {
  const targets = (spec.terminating?.targets ?? []).map((target, index) => ({
    target,
    at: ['terminating', 'targets', index],
  }))
  return spec.transparent === undefined
    ? targets
    : [{ target: spec.transparent.target, at: ['transparent', 'target'] }, ...targets]
}
