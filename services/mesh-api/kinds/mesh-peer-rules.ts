import { allDistinct } from './distinct.ts'
import type { Rule } from './kind.ts'
import type { MeshPeer } from './mesh-peer.ts'

export const peerRules: readonly Rule<MeshPeer>[] = [
  {
    id: 'RelayRefsDistinct',
    message: 'names a relay twice',
    fieldPath: 'spec.relayRefs',
    cluster: { listType: 'map' },
    holds: ({ spec }) => allDistinct(spec.relayRefs.map(({ name }) => name)),
  },
  {
    id: 'ExactlyOneIdentity',
    message: 'exactly one of handles and acceptAny must be set',
    fieldPath: 'spec.identity',
    cluster: { cel: 'has(self.identity.handles) != (has(self.identity.acceptAny) && self.identity.acceptAny)' },
    holds: ({ spec: { identity } }) => (identity.handles !== undefined) !== (identity.acceptAny === true),
  },
  {
    // CARRIAGE section 12: acceptAny needs a second explicit switch.
    id: 'AcceptAnyConfirmed',
    message: 'acceptAny turns authentication of the peer off and needs acceptAnyConfirmed: true beside it',
    fieldPath: 'spec.identity.acceptAny',
    cluster: {
      cel:
        '!has(self.identity.acceptAny) || !self.identity.acceptAny || ' +
        '(has(self.identity.acceptAnyConfirmed) && self.identity.acceptAnyConfirmed)',
    },
    holds: ({ spec: { identity } }) => identity.acceptAny !== true || identity.acceptAnyConfirmed === true,
  },
  {
    id: 'HandlesDistinct',
    message: 'names a handle twice',
    fieldPath: 'spec.identity.handles',
    cluster: { listType: 'set' },
    holds: ({ spec }) => allDistinct(spec.identity.handles ?? []),
  },
  {
    id: 'AddressesDistinct',
    message: 'names an address twice',
    fieldPath: 'spec.addresses',
    cluster: { listType: 'set' },
    holds: ({ spec }) => allDistinct(spec.addresses),
  },
  {
    id: 'AddressToDial',
    message: 'at least one address is required unless dial is never',
    fieldPath: 'spec.addresses',
    cluster: { cel: "self.dial == 'never' || self.addresses.size() > 0" },
    holds: ({ spec }) => spec.dial === 'never' || spec.addresses.length > 0,
  },
  {
    id: 'ProfileAvailable',
    message: 'only the profile Standard is available in this version',
    fieldPath: 'spec.profile',
    cluster: { cel: "self.profile == 'Standard'" },
    holds: ({ spec }) => spec.profile === 'Standard',
  },
  {
    id: 'BundleRequired',
    message: 'caFile is required when tls.mode is ca',
    fieldPath: 'spec.tls.caFile',
    cluster: { cel: "self.tls.mode != 'ca' || has(self.tls.caFile)" },
    holds: ({ spec: { tls } }) => tls.mode !== 'ca' || tls.caFile !== undefined,
  },
  {
    id: 'BundleUnused',
    message: 'caFile and serverName belong to tls.mode ca; with mode pinned no certificate is validated',
    fieldPath: 'spec.tls',
    cluster: { cel: "self.tls.mode != 'pinned' || (!has(self.tls.caFile) && !has(self.tls.serverName))" },
    holds: ({ spec: { tls } }) => tls.mode !== 'pinned' || (tls.caFile === undefined && tls.serverName === undefined),
  },
  {
    id: 'ProtocolsDistinct',
    message: 'names a protocol twice',
    fieldPath: 'spec.protocols',
    cluster: { listType: 'set' },
    holds: ({ spec }) => allDistinct(spec.protocols),
  },
  {
    id: 'AssumedProtocolsCarried',
    message: 'names a protocol twice, or one that is not among protocols',
    fieldPath: 'spec.assumedProtocols',
    cluster: {
      cel: '!has(self.assumedProtocols) || self.assumedProtocols.all(protocol, protocol in self.protocols)',
      listType: 'set',
    },
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
    cluster: { cel: '!has(self.assumedProtocols) || has(self.defaultBackend)' },
    holds: ({ spec }) => spec.assumedProtocols === undefined || spec.defaultBackend !== undefined,
  },
]
