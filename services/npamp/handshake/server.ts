import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import type { RawFrame } from '../wire/deframer.ts'
import { readAuth, writeAuth } from './authenticate.ts'
import { decodeClientHello } from './client-hello.ts'
import type { ServerConfig } from './config.ts'
import type { Established } from './established.ts'
import { clearFrame, expectClearFrame } from './frames.ts'
import { Held } from './held.ts'
import { requireAcceptable } from './identity-policy.ts'
import { requireImplemented, select } from './implemented.ts'
import { KeyedHandshake } from './keyed-handshake.ts'
import type { ServerRules } from './negotiate.ts'
import { serverRules } from './offer.ts'
import { encodeServerHello } from './server-hello.ts'
import { Transcript } from './transcript.ts'

/**
 * Starts the responder's side.
 *
 * @throws IncompatibleError PROFILE_NOT_IMPLEMENTED when the minimum is High or Sovereign; MisuseError ARGUMENT for a
 * contradictory config.
 */
export function awaitClientHello(config: ServerConfig): AwaitClientHello {
  requireImplemented(config.minimumProfile)
  return new AwaitClientHello(config, serverRules(config))
}

/** A state consumes itself: a second `receive` is MisuseError STATE. Every failure wipes what the state held. */
export class AwaitClientHello {
  readonly #config: ServerConfig
  readonly #rules: ServerRules
  readonly #held = new Held(new Transcript())

  constructor(config: ServerConfig, rules: ServerRules) {
    this.#config = config
    this.#rules = rules
  }

  /**
   * `flights` are the whole SERVER_HELLO and SERVER_AUTH frames, to be written in this order.
   *
   * @throws MisbehavedError UNEXPECTED_FRAME; IncompatibleError; AuthenticationError KEM; MalformedError.
   */
  receive(frame: RawFrame): { flights: Uint8Array[]; next: AwaitClientAuth } {
    const transcript = this.#held.take()
    const { provider, identity } = this.#config
    let handshake: KeyedHandshake | undefined
    try {
      const payload = expectClearFrame(frame, CONTROL_FRAME.CLIENT_HELLO)
      const { offer, share } = decodeClientHello(payload)
      const selection = select(offer, this.#rules)
      const { ciphertext, secret } = provider.encapsulate(selection.kem, share)
      const reply = encodeServerHello({ selected: selection, ciphertext })
      transcript.absorbFrameType(CONTROL_FRAME.CLIENT_HELLO)
      transcript.absorbTlvs(payload)
      transcript.absorbFrameType(CONTROL_FRAME.SERVER_HELLO)
      transcript.absorbTlvs(reply)
      handshake = new KeyedHandshake(provider, selection, secret, transcript)
      const { frame: auth } = writeAuth(handshake, 'server', identity)
      return {
        flights: [clearFrame(CONTROL_FRAME.SERVER_HELLO, reply), auth],
        next: new AwaitClientAuth(this.#config, handshake),
      }
    } catch (error) {
      handshake?.wipe()
      transcript.wipe()
      throw error
    }
  }

  wipe(): void {
    this.#held.wipe()
  }
}

export class AwaitClientAuth {
  readonly #config: ServerConfig
  readonly #held: Held<KeyedHandshake>

  constructor(config: ServerConfig, handshake: KeyedHandshake) {
    this.#config = config
    this.#held = new Held(handshake)
  }

  /**
   * Nothing of the client is acted on before this returns (HS-011).
   *
   * @throws MisbehavedError UNEXPECTED_FRAME; AuthenticationError TAG, CERT_VERIFY, FINISHED, IDENTITY_REFUSED; MalformedError.
   */
  receive(frame: RawFrame): { established: Established } {
    const handshake = this.#held.take()
    const { provider, policy } = this.#config
    try {
      const { peerKey, thCv: thCcv } = readAuth(handshake, 'client', frame)
      const peerHandle = requireAcceptable(policy, provider, handshake.selection.signature, peerKey)
      return { established: handshake.establish(thCcv, peerKey, peerHandle) }
    } finally {
      handshake.wipe()
    }
  }

  wipe(): void {
    this.#held.wipe()
  }
}
