import {
  AEAD,
  ANNOUNCED_TLV_TYPES,
  Association,
  type AssociationOptions,
  type CryptoProvider,
  type HandshakeConfig,
  type IdentityPolicy,
  type OwnExtensions,
  type PeerSettings,
  PROFILE,
  type SigningKey,
} from '@causeway/npamp'
import type { PeerConfig } from './peer-config.ts'
import type { PeerDirectory } from './peer-directory.ts'

/** Who this relay is on the mesh. */
export interface OwnIdentity {
  readonly provider: CryptoProvider
  readonly key: SigningKey
  /** Unique among processes that share the key. */
  readonly replica: string
  /** 8 octets, fresh at each start. */
  readonly bootId: Uint8Array
}

/** Makes the protocol core's side of associations. Those of one kind share their options. */
export class AssociationFactory {
  readonly #peers: PeerDirectory
  #identity: OwnIdentity
  #extensions: OwnExtensions
  #responding: AssociationOptions
  #initiating = new WeakMap<PeerConfig, AssociationOptions>()

  constructor(identity: OwnIdentity, peers: PeerDirectory) {
    this.#peers = peers
    this.#identity = identity
    this.#extensions = extensionsOf(identity)
    this.#responding = this.#optionsTowardsAnybody(peers)
  }

  /** For the associations that are made from now on. */
  setIdentity(identity: OwnIdentity): void {
    this.#identity = identity
    this.#extensions = extensionsOf(identity)
    this.#responding = this.#optionsTowardsAnybody(this.#peers)
    this.#initiating = new WeakMap()
  }

  /** Throws IncompatibleError PROFILE_NOT_IMPLEMENTED. */
  initiator(peer: PeerConfig, now: number): Association {
    const options = this.#initiating.get(peer) ?? this.#optionsTowards(peer)
    this.#initiating.set(peer, options)
    return new Association(options, now)
  }

  /** Takes whoever one of the peers may be. */
  responder(now: number): Association {
    return new Association(this.#responding, now)
  }

  #optionsTowards(peer: PeerConfig): AssociationOptions {
    const handshake = { ...this.#handshake(policyTowards(peer)), profiles: [peer.profile] }
    return { role: 'initiator', handshake, settings: this.#settings(peer) }
  }

  #optionsTowardsAnybody(peers: PeerDirectory): AssociationOptions {
    const policy: IdentityPolicy = { mode: 'allow', accept: (handle) => peers.byHandle(handle) !== undefined }
    return {
      role: 'responder',
      handshake: { ...this.#handshake(policy), minimumProfile: PROFILE.STANDARD },
      settings: ({ peerHandle }) => {
        const peer = peers.byHandle(peerHandle)
        return peer === undefined ? NOTHING : this.#settings(peer.config)
      },
    }
  }

  #handshake(policy: IdentityPolicy): HandshakeConfig {
    const { provider, key } = this.#identity
    return { provider, identity: key, policy, aeads: [AEAD.AES_256_GCM, AEAD.CHACHA20_POLY1305] }
  }

  #settings({ protocols, maxFrameOctets, assumedProtocols }: PeerConfig): PeerSettings {
    return {
      protocols,
      maxFrameOctets,
      peerMaxFrameOctets: maxFrameOctets,
      extensions: this.#extensions,
      ...(assumedProtocols === undefined ? {} : { assumedProtocols }),
    }
  }
}

function extensionsOf({ replica, bootId }: OwnIdentity): OwnExtensions {
  return { tlvTypes: ANNOUNCED_TLV_TYPES, replica, bootId }
}

/** For a peer that was taken off the list in the middle of its handshake. */
const NOTHING: PeerSettings = { protocols: [] }

function policyTowards({ identity }: PeerConfig): IdentityPolicy {
  return identity.mode === 'any' ? { mode: 'acceptAny', confirmed: true } : { mode: 'pins', handles: identity.handles }
}
