import { grantRules } from './grant-rule.ts'
import type { Rule } from './kind.ts'

const ACCEPTS_ANY = 'has(self.identity.acceptAny) && self.identity.acceptAny'

export const peerRules: readonly Rule[] = [
  {
    id: 'ExactlyOneIdentity',
    message:
      'exactly one of identity.handles, identity.acceptAny, identityFrom and trustAnchorRef must be set, as in identityFrom: ' +
      '{relayRef: {name: far}}',
    fieldPath: 'spec.identity',
    cel:
      `[has(self.identity.handles), ${ACCEPTS_ANY}, has(self.identityFrom), has(self.trustAnchorRef)]` +
      '.filter(one, one).size() == 1',
  },
  {
    // CARRIAGE section 12: acceptAny needs a second explicit switch.
    id: 'AcceptAnyConfirmed',
    message: 'acceptAny turns authentication of the peer off and needs acceptAnyConfirmed: true beside it',
    fieldPath: 'spec.identity.acceptAny',
    cel: `!(${ACCEPTS_ANY}) || (has(self.identity.acceptAnyConfirmed) && self.identity.acceptAnyConfirmed)`,
  },
  {
    id: 'AddressToDial',
    message: 'at least one address is required unless dial is never, as in [npamp://mesh.example.com:8443]',
    fieldPath: 'spec.addresses',
    cel: "self.dial == 'never' || self.addresses.size() > 0",
  },
  {
    id: 'BundleRequired',
    message:
      'exactly one of caFile, caSecretRef and caConfigMapRef is required when tls.mode is ca, as in caSecretRef: {name: far-ca, ' +
      'key: ca.crt}',
    fieldPath: 'spec.tls',
    cel: `self.tls.mode != 'ca' || ${bundles()} == 1`,
  },
  {
    id: 'BundleUnused',
    message:
      'caFile, caSecretRef, caConfigMapRef and serverName belong to tls.mode ca; with mode pinned no certificate is ' +
      'validated',
    fieldPath: 'spec.tls',
    cel: `self.tls.mode != 'pinned' || (${bundles()} == 0 && !has(self.tls.serverName))`,
  },
  {
    id: 'AssumedProtocolsCarried',
    message: 'names a protocol that is not among protocols',
    fieldPath: 'spec.assumedProtocols',
    cel: '!has(self.assumedProtocols) || self.assumedProtocols.all(protocol, protocol in self.protocols)',
  },
  {
    // CARRIAGE section 1: mandatory with assumedProtocols.
    id: 'DefaultBackendRequired',
    message:
      'defaultBackend is required with assumedProtocols: such a peer cannot name a target; as in defaultBackend: {name: search}',
    fieldPath: 'spec.defaultBackend',
    cel: '!has(self.assumedProtocols) || has(self.defaultBackend)',
  },
  {
    id: 'SuccessorsOfHandles',
    message: 'acceptSuccessors belongs to identity.handles: whoever is known otherwise is followed without it',
    fieldPath: 'spec.acceptSuccessors',
    cel: '!self.acceptSuccessors || has(self.identity.handles)',
  },
  ...grantRules,
]

/** CEL: how many bundles are set. */
function bundles(): string {
  const set = ['caFile', 'caSecretRef', 'caConfigMapRef'].map((field) => `has(self.tls.${field})`)
  return `[${set.join(', ')}].filter(one, one).size()`
}
