import { create } from '@bufbuild/protobuf'
import { type Refusal as RefusalMessage, RefusalSchema, resourceKindNumber } from '@causeway/rpc'
import type { HeldResource, Refusal } from './contract.ts'
import { decodeResource, isDecoded } from './decode.ts'
import { type CheckedDelta, type HeldSet, keyOf, type StoredResource } from './held-set.ts'

/** What is not in force: what was not understood here, and what the relay's rooms could not put into force. */
export class RefusalList {
  readonly #held: HeldSet
  readonly #notDecoded = new Map<string, RefusalMessage>()
  #live: readonly Refusal[] = []

  constructor(held: HeldSet) {
    this.#held = held
  }

  /** The resources of a change that can be tried; the others are refused. */
  decode({ upserts, removals }: Pick<CheckedDelta, 'upserts' | 'removals'>): readonly HeldResource[] {
    for (const key of removals) this.#notDecoded.delete(key)
    return upserts.flatMap((stored) => this.#decode(stored))
  }

  setLive(refusals: readonly Refusal[]): void {
    this.#live = refusals
  }

  /** All of them, for the control plane. What was sent since replaces what was said of an older version. */
  all(): readonly RefusalMessage[] {
    const live = this.#live.map(messageOf).filter((refusal) => this.#isOfWhatWasSent(refusal))
    return [...this.#notDecoded.values(), ...live]
  }

  #decode(stored: StoredResource): readonly HeldResource[] {
    const key = keyOf(stored)
    const decoded = decodeResource(stored)
    if (isDecoded(decoded)) {
      this.#notDecoded.delete(key)
      return [decoded]
    }
    const { kind, name, version } = stored
    this.#notDecoded.set(key, create(RefusalSchema, { kind, name, version: Buffer.from(version, 'hex'), ...decoded }))
    return []
  }

  #isOfWhatWasSent(refusal: RefusalMessage): boolean {
    const key = keyOf(refusal)
    const sent = this.#held.resources.get(key)
    return sent?.version === Buffer.from(refusal.version).toString('hex') && !this.#notDecoded.has(key)
  }
}

function messageOf({ kind, version, ...refusal }: Refusal): RefusalMessage {
  return create(RefusalSchema, {
    ...refusal,
    kind: resourceKindNumber(kind),
    version: Buffer.from(version, 'hex'),
  })
}
