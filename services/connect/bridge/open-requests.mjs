/** @import { Message, MessagePart, RequestPart, ResponsePart } from '../contract.ts' */
/** @import { Task } from './scope.mjs' */

/** One POST with requests that wait for their answers; more than one only in a batch. */
export class OpenPost {
  /** @type {Map<string, RequestPart>} */
  waiting = new Map()
  /** Cancelled by the host: an answer that won the race goes on, and its absence is no failure. @type {Set<string>} */
  cancelled = new Set()
  /** Hears of every answer before the host does. @type {((request: RequestPart, answer: ResponsePart) => void) | undefined} */
  onAnswer

  /**
   * @param {Message} message
   * @param {'legacy' | 'modern'} era
   * @param {Task} task
   */
  constructor(message, era, task) {
    this.message = message
    this.era = era
    this.task = task
    for (const part of requestsIn(message)) this.waiting.set(part.idKey, part)
  }

  /** Whether nobody waits for anything more of it. */
  get settled() {
    return this.waiting.size === 0
  }

  /** A stream that ends only when the host says so. */
  get isLasting() {
    return [...this.waiting.values()].every(({ method }) => method === 'subscriptions/listen')
  }
}

/** What the host has asked and not been answered. */
export class OpenRequests {
  /** @type {Map<string, OpenPost>} */
  #byKey = new Map()
  /** @type {Set<() => void>} */
  #onIdle = new Set()

  /** @param {Message} message @returns {boolean} whether an id of it is open already */
  clashes(message) {
    const keys = requestsIn(message).map(({ idKey }) => idKey)
    return new Set(keys).size < keys.length || keys.some((key) => this.#byKey.get(key)?.waiting.has(key))
  }

  get size() {
    return this.#byKey.size
  }

  /** @param {OpenPost} post */
  add(post) {
    for (const key of post.waiting.keys()) this.#byKey.set(key, post)
  }

  /** @param {OpenPost} post everything about it is over */
  remove(post) {
    for (const { idKey } of requestsIn(post.message)) if (this.#byKey.get(idKey) === post) this.#byKey.delete(idKey)
    post.task.close()
    this.#tellIdle()
  }

  /** @param {string} idKey @returns {OpenPost | undefined} */
  find(idKey) {
    return this.#byKey.get(idKey)
  }

  /**
   * An answer has come.
   *
   * @param {string} idKey
   * @returns {{ post: OpenPost, request: RequestPart | undefined } | undefined} undefined: nobody waits for it; without
   *   `request`: it was cancelled
   */
  settle(idKey) {
    const post = this.#byKey.get(idKey)
    if (post === undefined) return undefined
    const request = post.waiting.get(idKey)
    if (request === undefined && !post.cancelled.delete(idKey)) return undefined
    post.waiting.delete(idKey)
    // The host may use the id again at once.
    this.#byKey.delete(idKey)
    this.#tellIdle()
    return { post, request }
  }

  /** Resolves once only lasting streams are open. @returns {Promise<void>} */
  idle() {
    return new Promise((resolve) => {
      this.#onIdle.add(resolve)
      this.#tellIdle()
    })
  }

  #tellIdle() {
    for (const post of this.#byKey.values()) if (!post.settled && !post.isLasting) return
    for (const resolve of this.#onIdle) resolve()
    this.#onIdle.clear()
  }
}

/** @param {Message} message @returns {RequestPart[]} */
export function requestsIn(message) {
  const parts = partsOf(message)
  return parts.filter((part) => part.kind === 'request')
}

/** @param {Message} message @returns {readonly MessagePart[]} */
export function partsOf(message) {
  return message.kind === 'batch' ? message.parts : [message]
}
