import { type HashName, PROFILES } from '../codepoints/profiles.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { HandshakeSecret, type HandshakeTraffic } from '../keys/schedule.ts'
import { DIRECTION } from '../keys/traffic.ts'
import type { Sender } from './certificate-verify.ts'
import type { Established } from './established.ts'
import type { Selection } from './negotiate.ts'
import type { Transcript } from './transcript.ts'

/** A handshake between its HELLOs and Established: the selection, the transcript, and handshake_secret, c_hs and s_hs. */
export class KeyedHandshake {
  readonly provider: CryptoProvider
  readonly selection: Selection
  readonly hash: HashName
  readonly transcript: Transcript
  readonly traffic: Readonly<Record<Sender, HandshakeTraffic>>
  readonly #secret: HandshakeSecret

  /**
   * Takes `transcript` over, which holds exactly both HELLOs: its point is TH_kem (HS-032). Wipes `kemSecret`.
   */
  constructor(provider: CryptoProvider, selection: Selection, kemSecret: Uint8Array, transcript: Transcript) {
    this.provider = provider
    this.selection = selection
    this.hash = PROFILES[selection.profile].hash
    this.transcript = transcript
    this.#secret = new HandshakeSecret(provider, this.hash, kemSecret)
    kemSecret.fill(0)
    const thKem = this.point()
    this.traffic = {
      client: this.#secret.traffic(DIRECTION.CLIENT_TO_SERVER, thKem),
      server: this.#secret.traffic(DIRECTION.SERVER_TO_CLIENT, thKem),
    }
  }

  /** The transcript hash here and now. */
  point(): Uint8Array {
    return this.transcript.point(this.provider, this.hash)
  }

  /** The outcome. `thCcv` includes the client's CertVerify: master exists no earlier (HS-039). */
  establish(thCcv: Uint8Array, peerKey: Uint8Array, peerHandle: string): Established {
    return { ...this.selection, master: this.#secret.master(thCcv), peerKey, peerHandle, thCcv }
  }

  wipe(): void {
    this.#secret.wipe()
    this.traffic.client.wipe()
    this.traffic.server.wipe()
    this.transcript.wipe()
  }
}
