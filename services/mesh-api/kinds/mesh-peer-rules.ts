import { allDistinct } from './distinct.ts'
import type { Rule } from './kind.ts'
import type { MeshPeer } from './mesh-peer.ts'

export const peerRules: readonly Rule<MeshPeer>[] = [
  {
    id: 'RelayRefsDistinct',
    message: 'names a relay twice',
    fieldPath: 'spec.relayRefs',
    holds: ({ spec }) => allDistinct(spec.relayRefs.map(({ name }) => name)),
  },
  {
    id: 'ExactlyOneIdentity',
    message: 'exactly one of handles and acceptAny must be set',
    fieldPath: 'spec.identity',
    holds: ({ spec: { identity } }) => (identity.handles !== undefined) !== (identity.acceptAny === true),
  },
  {
    // CARRIAGE section 12: acceptAny needs a second explicit switch.
    id: 'AcceptAnyConfirmed',
    message: 'acceptAny turns authentication of the peer off and needs acceptAnyConfirmed: true beside it',
    fieldPath: 'spec.identity.acceptAny',
    holds: ({ spec: { identity } }) => identity.acceptAny !== true || identity.acceptAnyConfirmed === true,
  },
  {
    id: 'HandlesDistinct',
    message: 'names a handle twice',
    fieldPath: 'spec.identity.handles',
    holds: ({ spec }) => allDistinct(spec.identity.handles ?? []),
  },
  {
    id: 'AddressesDistinct',
    message: 'names an address twice',
    fieldPath: 'spec.addresses',
    holds: ({ spec }) => allDistinct(spec.addresses),
  },
  {
    id: 'AddressToDial',
    message: 'at least one address is required unless dial is never',
    fieldPath: 'spec.addresses',
    holds: ({ spec }) => spec.dial === 'never' || spec.addresses.length > 0,
  },
  {
    id: 'ProfileAvailable',
    message: 'only the profile Standard is available in this version',
    fieldPath: 'spec.profile',
    holds: ({ spec }) => spec.profile === 'Standard',
  },
  {
    id: 'BundleRequired',
    message: 'caFile is required when tls.mode is ca',
    fieldPath: 'spec.tls.caFile',
    holds: ({ spec: { tls } }) => tls.mode !== 'ca' || tls.caFile !== undefined,
  },
  {
    id: 'BundleUnused',
    message: 'caFile and serverName belong to tls.mode ca; with mode pinned no certificate is validated',
    fieldPath: 'spec.tls',
    holds: ({ spec: { tls } }) => tls.mode !== 'pinned' || (tls.caFile === undefined && tls.serverName === undefined),
  },
  {
    id: 'ProtocolsDistinct',
    message: 'names a protocol twice',
    fieldPath: 'spec.protocols',
    holds: ({ spec }) => allDistinct(spec.protocols),
  },
  {
    id: 'AssumedProtocolsCarried',
    message: 'names a protocol twice, or one that is not among protocols',
    fieldPath: 'spec.assumedProtocols',
    holds: ({ spec }) => {
      const assumed = spec.assumedProtocols ?? []
      return allDistinct(assumed) && assumed.every((protocol) => spec.protocols.includes(protocol))
    },
  },
  {
    // CARRIAGE section 1: mandatory with assumedProtocols.
    id: 'DefaultBackendRequired',
    message: 'defaultBackend is required with assumedProtocols: such a peer cannot name a target',
    fieldPath: 'spec.defaultBackend',
    holds: ({ spec }) => spec.assumedProtocols === undefined || spec.defaultBackend !== undefined,
  },
]
