import type { AssociationOptions, PeerSettings } from '../../services/npamp/association/options.ts'
import { PROFILE } from '../../services/npamp/codepoints/profiles.ts'
import { AEAD, SIGNATURE } from '../../services/npamp/codepoints/suites.ts'
import { nodeProvider } from '../../services/npamp/crypto/node/index.ts'
import type { CryptoProvider, SigningKey } from '../../services/npamp/crypto/provider.ts'
import type { ClientConfig, ServerConfig } from '../../services/npamp/handshake/config.ts'

export const provider: CryptoProvider = nodeProvider()

function identity(which: number, from: CryptoProvider = provider): SigningKey {
  return from.signingKey(SIGNATURE.ED25519, new Uint8Array(32).fill(which))
}

export function clientConfig(from: CryptoProvider = provider): ClientConfig {
  return { ...common(from), identity: identity(1, from), profiles: [PROFILE.STANDARD] }
}

export function serverConfig(from: CryptoProvider = provider): ServerConfig {
  return { ...common(from), identity: identity(2, from), minimumProfile: PROFILE.STANDARD }
}

/** A relay as it comes: carries MCP and A2A, announces the extensions. */
export function relaySettings(replica: string, over: Partial<PeerSettings> = {}): PeerSettings {
  const extensions = { tlvTypes: [0x4352, 0x4353, 0x4355, 0x4356], replica, bootId: new Uint8Array(8).fill(7) }
  return { protocols: [1, 2], extensions, ...over }
}

/** Options of one end without what its role decides. */
export type EndOptions = Omit<Partial<AssociationOptions>, 'role' | 'handshake'>

export function initiatorOptions(over: EndOptions = {}, from: CryptoProvider = provider): AssociationOptions {
  return { settings: relaySettings('initiator'), ...over, role: 'initiator', handshake: clientConfig(from) }
}

export function responderOptions(over: EndOptions = {}, from: CryptoProvider = provider): AssociationOptions {
  return { settings: relaySettings('responder'), ...over, role: 'responder', handshake: serverConfig(from) }
}

function common(from: CryptoProvider) {
  return {
    provider: from,
    policy: { mode: 'acceptAny', confirmed: true },
    aeads: [AEAD.AES_256_GCM, AEAD.CHACHA20_POLY1305],
  } as const
}
