import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import type { KemKeyPair } from '../crypto/provider.ts'
import type { RawFrame } from '../wire/deframer.ts'
import { readAuth, writeAuth } from './authenticate.ts'
import { encodeClientHello } from './client-hello.ts'
import type { ClientConfig } from './config.ts'
import type { Established } from './established.ts'
import { clearFrame, expectClearFrame } from './frames.ts'
import { Held } from './held.ts'
import { requireAcceptable } from './identity-policy.ts'
import { requireImplemented } from './implemented.ts'
import { KeyedHandshake } from './keyed-handshake.ts'
import { acceptSelection } from './negotiate.ts'
import { type ClientOffer, clientOffer } from './offer.ts'
import { decodeServerHello } from './server-hello.ts'
import { Transcript } from './transcript.ts'

/**
 * Starts the initiator's side. `flight` is the whole CLIENT_HELLO frame.
 *
 * @throws IncompatibleError PROFILE_NOT_IMPLEMENTED for High or Sovereign; MisuseError ARGUMENT for a contradictory config.
 */
export function startClient(config: ClientConfig): { flight: Uint8Array; next: AwaitServerHello } {
  for (const profile of config.profiles) requireImplemented(profile)
  const offer = clientOffer({ ...config, signature: config.identity.scheme })
  const kemKeys = config.provider.generateKemKeyPair(offer.kems[0])
  const payload = encodeClientHello({ offer, share: kemKeys.share })
  const transcript = new Transcript()
  transcript.absorbFrameType(CONTROL_FRAME.CLIENT_HELLO)
  transcript.absorbTlvs(payload)
  const next = new AwaitServerHello(config, offer, new ClientHelloSent(kemKeys, transcript))
  return { flight: clearFrame(CONTROL_FRAME.CLIENT_HELLO, payload), next }
}

/** A state consumes itself: a second `receive` is MisuseError STATE. Every failure wipes what the state held. */
export class AwaitServerHello {
  readonly #config: ClientConfig
  readonly #offer: ClientOffer
  readonly #held: Held<ClientHelloSent>

  constructor(config: ClientConfig, offer: ClientOffer, sent: ClientHelloSent) {
    this.#config = config
    this.#offer = offer
    this.#held = new Held(sent)
  }

  /** @throws MisbehavedError UNEXPECTED_FRAME, NOT_OFFERED, ILLEGAL_SELECTION; AuthenticationError KEM; MalformedError. */
  receive(frame: RawFrame): AwaitServerAuth {
    const { kemKeys, transcript } = this.#held.take()
    const { provider, allowKem1024AtStandard = false } = this.#config
    try {
      const payload = expectClearFrame(frame, CONTROL_FRAME.SERVER_HELLO)
      const { selected, ciphertext } = decodeServerHello(payload)
      // Every check of digest 02 section 6 comes before anything is derived.
      const selection = acceptSelection(selected, this.#offer, allowKem1024AtStandard)
      const kemSecret = kemKeys.decapsulate(ciphertext)
      transcript.absorbFrameType(CONTROL_FRAME.SERVER_HELLO)
      transcript.absorbTlvs(payload)
      return new AwaitServerAuth(this.#config, new KeyedHandshake(provider, selection, kemSecret, transcript))
    } catch (error) {
      transcript.wipe()
      throw error
    } finally {
      kemKeys.wipe()
    }
  }

  wipe(): void {
    this.#held.wipe()
  }
}

export class AwaitServerAuth {
  readonly #config: ClientConfig
  readonly #held: Held<KeyedHandshake>

  constructor(config: ClientConfig, handshake: KeyedHandshake) {
    this.#config = config
    this.#held = new Held(handshake)
  }

  /**
   * `flight` is the whole CLIENT_AUTH frame; application frames may follow it at once.
   *
   * @throws MisbehavedError UNEXPECTED_FRAME; AuthenticationError TAG, CERT_VERIFY, FINISHED, IDENTITY_REFUSED; MalformedError.
   */
  receive(frame: RawFrame): { flight: Uint8Array; established: Established } {
    const handshake = this.#held.take()
    const { provider, policy, identity } = this.#config
    try {
      const { peerKey } = readAuth(handshake, 'server', frame)
      // Before our own identity is revealed to a server that we would not talk to.
      const peerHandle = requireAcceptable(policy, provider, handshake.selection.signature, peerKey)
      const { frame: flight, thCv: thCcv } = writeAuth(handshake, 'client', identity)
      return { flight, established: handshake.establish(thCcv, peerKey, peerHandle) }
    } finally {
      handshake.wipe()
    }
  }

  wipe(): void {
    this.#held.wipe()
  }
}

class ClientHelloSent {
  readonly kemKeys: KemKeyPair
  readonly transcript: Transcript

  constructor(kemKeys: KemKeyPair, transcript: Transcript) {
    this.kemKeys = kemKeys
    this.transcript = transcript
  }

  wipe(): void {
    this.kemKeys.wipe()
    this.transcript.wipe()
  }
}
