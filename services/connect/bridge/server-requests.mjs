/** @import { LegacySession } from './session.mjs' */

/**
 * What the servers have asked the host and not been told. A host answers by id alone, and every session counts its ids
 * anew: an answer meant for a lost session must not reach the one that took its place.
 */
export class ServerRequests {
  /** @type {Map<string, { readonly idToken: string, readonly session: LegacySession | undefined }>} */
  #open = new Map()

  /**
   * @param {string} idKey
   * @param {string} idToken
   * @param {LegacySession | undefined} session
   * @returns {boolean} false: the id is open, or too many are; the request must not be shown
   */
  add(idKey, idToken, session) {
    if (this.#open.has(idKey) || this.#open.size >= MAX_OPEN) return false
    this.#open.set(idKey, { idToken, session })
    return true
  }

  /**
   * The host has answered.
   *
   * @param {string} idKey
   * @param {LegacySession | undefined} session the one in force
   * @returns {boolean} false: the answer is for a session that is gone
   */
  answered(idKey, session) {
    const asked = this.#open.get(idKey)
    this.#open.delete(idKey)
    return asked === undefined || asked.session === session
  }

  /** The server has taken its request back. @param {string} idKey */
  cancelled(idKey) {
    this.#open.delete(idKey)
  }

  /** The ids, as they were written, of what a lost session still asks. @param {LegacySession} session @returns {string[]} */
  of(session) {
    return [...this.#open.values()].filter((asked) => asked.session === session).map(({ idToken }) => idToken)
  }
}

const MAX_OPEN = 1_024
