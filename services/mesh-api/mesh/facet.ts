import type { AnyResource } from '../kinds/all-kinds.ts'

/**
 * What the verdicts and places of others depend on in an object that they name (`check/`): where this is as before, they
 * are too. Plain data.
 */
export function facetOf(object: AnyResource): unknown {
  const { kind, spec } = object
  switch (kind) {
    case 'MeshRelay':
      return [spec.allowedNamespaces, Object.keys(spec.listeners).sort(), spec.identity.keyFile !== undefined]
    case 'MeshPeer':
      return [spec.allowedNamespaces, spec.relayRefs, spec.assumedProtocols !== undefined]
    case 'MeshBackend':
      return [spec.allowedNamespaces, spec.relayRefs, spec.peers]
    case 'TrustAnchor':
      return [spec.allowedNamespaces, spec.uses]
    case 'AgentCard':
      return [spec.allowedNamespaces]
    // Only whether they are there.
    case 'MeshRoute':
    case 'SafetyPolicy':
    case 'DiscoveryRecord':
    case 'ApprovalRequest':
    case 'AccessKey':
      return []
  }
}
