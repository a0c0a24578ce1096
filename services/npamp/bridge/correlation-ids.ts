import { concatOctets } from '../wire/octets.ts'
import { utf8 } from '../wire/utf8.ts'
import type { BridgePayload } from './contract.ts'
import { octetKey } from './octet-key.ts'

/** Leaves room for the suffix of 17 octets within 255. */
const MAX_TOKEN_OCTETS = 238
const MAX_REMEMBERED = 1024
const REMEMBER_MS = 10 * 60 * 1000

/** Chooses the correlation ids of one direction of an association (CARRIAGE section 2). */
export class CorrelationIds {
  #suffixes = 0
  /** Ended by cancel or timeout: a late reply must not meet a new request. Oldest first. */
  readonly #remembered = new Map<string, number>()

  /**
   * The raw id token where it is short enough and neither open nor remembered (RPC-022), else the token and a counter;
   * no JSON token ends like that, so a suffixed id never meets a raw one (RPC-021).
   */
  choose(idToken: Uint8Array, isOpen: (key: string) => boolean, now: number): { key: string; octets: Uint8Array } {
    const short = idToken.length <= MAX_TOKEN_OCTETS
    if (short) {
      const key = octetKey(idToken)
      // A copy: the exchange may stay open for long and shall not hold the whole message.
      if (!isOpen(key) && !this.remembers(key, now)) return { key, octets: idToken.slice() }
    }
    this.#suffixes += 1
    const suffix = utf8(`#${this.#suffixes.toString(16).padStart(16, '0')}`)
    const octets = short ? concatOctets([idToken, suffix]) : suffix
    return { key: octetKey(octets), octets }
  }

  remember(key: string, now: number): void {
    this.#forgetExpired(now)
    this.#remembered.delete(key)
    this.#remembered.set(key, now)
    if (this.#remembered.size > MAX_REMEMBERED)
      for (const oldest of this.#remembered.keys()) {
        this.#remembered.delete(oldest)
        break
      }
  }

  remembers(key: string, now: number): boolean {
    if (this.#remembered.size === 0) return false
    this.#forgetExpired(now)
    return this.#remembered.has(key)
  }

  #forgetExpired(now: number): void {
    for (const [key, endedAt] of this.#remembered) {
      if (now - endedAt < REMEMBER_MS) return
      this.#remembered.delete(key)
    }
  }
}

/** Whether a reply belongs to a request: by correlation_id, octet for octet, and by nothing else (BRG-013, BRG-014). */
export function correlates(request: BridgePayload, reply: BridgePayload): boolean {
  const { correlationId } = request.envelope
  return correlationId.length > 0 && octetKey(correlationId) === octetKey(reply.envelope.correlationId)
}
