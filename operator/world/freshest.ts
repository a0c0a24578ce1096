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
  readonly #answers = new Map<string, T>()

  /** An object as the API server answered it. */
  learn(key: string, object: T): void {
    this.#answers.set(key, object)
  }

  get(key: string, watched: Watched<T>): T | undefined {
    const told = watched.get(key)
    const answer = this.#answers.get(key)
    if (answer === undefined) return told
    const isBehind =
      told === undefined ? (watched.position ?? 0n) < versionOf(answer) : versionOf(told) < versionOf(answer)
    if (isBehind) return answer
    this.#answers.delete(key)
    return told
  }
}

function versionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? 0)
}
