import type { KubeObject } from '@causeway/kube'

/** What a watch has told so far. */
interface Watched<T> {
  get(key: string): T | undefined
  /** Up to which resource version everything is known. */
  readonly position: bigint | undefined
}

/**
 * Objects as the watch has them, or as the API server answered our own last write where the watch has not told that yet: so
 * that nothing is written a second time only because word of the first has not come back.
 */
export class Freshest<T extends KubeObject> {
  readonly #answers = new Map<string, { readonly object: T; readonly position: bigint | undefined }>()

  /** An object as the API server answered it, and how far the watch had come. */
  learn(key: string, object: T, { position }: Pick<Watched<T>, 'position'>): void {
    this.#answers.set(key, { object, position })
  }

  get(key: string, watched: Watched<T>): T | undefined {
    const told = watched.get(key)
    const answer = this.#answers.get(key)
    if (answer === undefined) return told
    const { object, position } = answer
    const isBehind =
      told === undefined ? (watched.position ?? 0n) < versionOf(object) : versionOf(told) < versionOf(object)
    // Where the API server was restored from an older state, what it answered before is no more.
    const isRestored = position !== undefined && watched.position !== undefined && watched.position < position
    if (isBehind && !isRestored) return object
    this.#answers.delete(key)
    return told
  }
}

function versionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? 0)
}
