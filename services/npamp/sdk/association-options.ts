import {
  AEAD,
  ANNOUNCED_TLV_TYPES,
  type AssociationOptions,
  type CryptoProvider,
  type HandshakeConfig,
  type IdentityPolicy,
  type PeerSettings,
  PROFILE,
  PROTOCOL,
  type ProfileCode,
  type SigningKey,
} from '../index.ts'

/** What both ends of an embedding say about themselves. */
export interface OwnOptions {
  /** Who this end is on the mesh: what `readIdentityFile` or `createIdentityFile` gives, or any signing key. */
  readonly identity: { readonly key: SigningKey }
  /** Largest message that this end takes, with some hundred octets around it; at least 65,536; default 16 MiB. */
  readonly maxFrameOctets?: number | undefined
  /** The peer is an implementation that sends no HELLO: MCP is assumed of it, and it is told neither target nor session. */
  readonly assumeMcp?: boolean | undefined
}

export const DEFAULT_MAX_OPEN_REQUESTS = 1_024

export function initiating(
  own: OwnOptions,
  provider: CryptoProvider,
  peer: { readonly handles: readonly string[]; readonly profile: ProfileCode; readonly handshakeTimeoutMs: number },
): AssociationOptions {
  const policy: IdentityPolicy = { mode: 'pins', handles: peer.handles }
  return {
    role: 'initiator',
    handshake: { ...handshake(own, provider, policy), profiles: [peer.profile] },
    settings: settings(own, provider),
    handshakeTimeoutMs: peer.handshakeTimeoutMs,
  }
}

export function responding(own: OwnOptions, provider: CryptoProvider, allow: ReadonlySet<string>): AssociationOptions {
  const policy: IdentityPolicy = { mode: 'allow', accept: (handle) => allow.has(handle) }
  return {
    role: 'responder',
    handshake: { ...handshake(own, provider, policy), minimumProfile: PROFILE.STANDARD },
    settings: settings(own, provider),
  }
}

function handshake({ identity }: OwnOptions, provider: CryptoProvider, policy: IdentityPolicy): HandshakeConfig {
  return { provider, identity: identity.key, policy, aeads: [AEAD.AES_256_GCM, AEAD.CHACHA20_POLY1305] }
}

function settings({ maxFrameOctets, assumeMcp }: OwnOptions, provider: CryptoProvider): PeerSettings {
  return {
    protocols: [PROTOCOL.MCP],
    extensions: {
      tlvTypes: ANNOUNCED_TLV_TYPES,
      // Each is a process of its own to the peer, which closes older associations only of one that was started again.
      replica: `sdk-${Buffer.from(provider.random(8)).toString('hex')}`,
      bootId: provider.random(8),
    },
    ...(maxFrameOctets === undefined ? {} : { maxFrameOctets }),
    ...(assumeMcp === true ? { assumedProtocols: [PROTOCOL.MCP] } : {}),
  }
}
