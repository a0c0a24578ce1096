import { create } from '@bufbuild/protobuf'
import {
  type Delta,
  DeltaErrorCode,
  type DeltaReply,
  DeltaSchema,
  type Hello,
  MAX_MESSAGE_OCTETS,
  resourceKindNumber,
} from '@causeway/rpc'
import { type ObjectKey, relayKey, resourceIdOf } from '../snapshot/object-key.ts'
import { olderKinds, type Positions, positionsFor } from '../snapshot/positions.ts'
import type { EncodedResource } from '../snapshot/resource.ts'
import type { Position } from '../sources/source.ts'
import { foreignOctets, heldBy, positionsOf, type RefusedResource } from './held.ts'
import { refusalsOf } from './said.ts'

/** What a relay is to have, as it is at this moment. */
export interface DeliveryView {
  /** `namespace/name`. */
  readonly relay: string
  readonly snapshot: ReadonlyMap<ObjectKey, EncodedResource>
  readonly positions: Pick<Positions, 'read' | 'changed'>
  /** Whatever an instance of the relay has of this resource, it keeps. */
  isKept(key: ObjectKey): boolean
}

/** What is known besides, because everything was listed just now, consistently. */
export type Confirmation = 'none' | 'fresh list'

/** What to do next for an instance. */
export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'send'; readonly delta: Delta }
  /** What is known here is older than what the instance has seen: list consistently first. */
  | { readonly do: 'list' }
  /** So much would go that it is waited for, and confirmed by a fresh list. */
  | { readonly do: 'hold'; readonly removals: number; readonly held: number }
  /** One message has no room for what the instance lacks. */
  | { readonly do: 'refuse'; readonly octets: number; readonly keys: readonly ObjectKey[] }

/** What a reply comes to. */
export type Outcome =
  /** `changed`: resources with the version that the instance has now, undefined: none. `refused`: all that it refuses. */
  | {
      readonly is: 'accepted'
      readonly changed: ReadonlyMap<ObjectKey, string | undefined>
      readonly refused: ReadonlyMap<ObjectKey, RefusedResource>
    }
  | { readonly is: 'stale' }
  /** Nothing of it was taken, for a reason that may pass; `delta` as it was meant. */
  | {
      readonly is: 'not taken'
      readonly reason: 'Malformed' | 'NotStored' | 'TooLarge'
      readonly message: string
      readonly keys: readonly ObjectKey[]
    }
  /** The two do not agree on what was said: the stream has to be opened anew. */
  | { readonly is: 'inconsistent'; readonly message: string }

/** CONTROL section 3: a Delta that would remove more than half of at least this many resources is held. */
const MIN_HELD_FOR_HOLDING = 20
/** What a Delta says of each resource besides its name and body, and of itself, at most. */
const OCTETS_BESIDE = 64
/** One in force, the next one rewound: an instance that calls that stale too does not do as it says. */
const MAX_STALE_REPLIES = 2

interface Outstanding {
  readonly nonce: bigint
  /** What the instance has if it takes it; undefined: nothing. */
  readonly changed: ReadonlyMap<ObjectKey, string | undefined>
  readonly positions: ReadonlyMap<string, Position>
}

/**
 * What one instance has, and what it lacks: one Delta at a time, and changes meanwhile add up to the next one. No timers,
 * no input or output.
 */
export class Delivery {
  /** What it takes to remember what the instance has and is not to have; it gives that back with the first Delta. */
  readonly foreignOctets: number
  readonly #held: Map<ObjectKey, string>
  #positions: ReadonlyMap<string, Position>
  /** Resources of which it may lack something. */
  #dirty: Set<ObjectKey>
  #nonce = 0n
  #outstanding: Outstanding | undefined
  #isFirst = true
  #staleReplies = 0

  /** `snapshot`: what its relay is to have now. */
  constructor(hello: Hello, snapshot: ReadonlyMap<ObjectKey, unknown>) {
    this.#held = heldBy(hello)
    this.foreignOctets = foreignOctets(this.#held, snapshot)
    this.#positions = positionsOf(hello)
    this.#dirty = new Set([...this.#held.keys(), ...snapshot.keys()])
  }

  get isOutstanding(): boolean {
    return this.#outstanding !== undefined
  }

  /** These resources may be different now. */
  mark(keys: Iterable<ObjectKey>): void {
    for (const key of keys) this.#dirty.add(key)
  }

  /** With `send` the Delta is outstanding; otherwise nothing has changed. */
  next(view: DeliveryView, confirmation: Confirmation): Step {
    if (this.#outstanding !== undefined || !this.#hasRelay(view)) return { do: 'nothing' }
    const { upserts, removals } = this.#lacking(view)
    if (upserts.length === 0 && removals.length === 0 && !this.#isFirst) {
      this.#dirty.clear()
      return { do: 'nothing' }
    }
    const isOlder = olderKinds(view.positions.read, this.#positions).length > 0
    const isConfirmed = confirmation === 'fresh list'
    if ((isOlder || this.#staleReplies > 0) && !isConfirmed) return { do: 'list' }
    const held = this.#held.size
    if (held >= MIN_HELD_FOR_HOLDING && removals.length * 2 > held && !isConfirmed) {
      return { do: 'hold', removals: removals.length, held }
    }
    const octets = octetsOf(upserts) + removals.reduce((sum, key) => sum + key.length + OCTETS_BESIDE, 0)
    if (octets > MAX_DELTA_OCTETS) return { do: 'refuse', octets, keys: upserts.map(({ objectKey }) => objectKey) }
    // Older even after a consistent list, or refused as stale after one: the source itself went back.
    return { do: 'send', delta: this.#send(view, upserts, removals, isOlder || this.#staleReplies > 1) }
  }

  replied(reply: DeltaReply): Outcome {
    const outstanding = this.#outstanding
    if (outstanding === undefined || reply.nonce !== outstanding.nonce) return this.#repeated(reply)
    this.#outstanding = undefined
    if (reply.error !== undefined) return this.#notTaken(outstanding, reply.error)
    const changed = this.#isFirst ? new Map(this.#held) : new Map<ObjectKey, string | undefined>()
    for (const [key, version] of outstanding.changed) {
      changed.set(key, version)
      if (version === undefined) this.#held.delete(key)
      else this.#held.set(key, version)
    }
    this.#positions = outstanding.positions
    this.#isFirst = false
    this.#staleReplies = 0
    return { is: 'accepted', changed, refused: this.#refused(reply) }
  }

  /** Whether the instance has some version of it, or is about to. */
  has(key: ObjectKey): boolean {
    return this.#held.has(key) || this.#outstanding?.changed.get(key) !== undefined
  }

  #refused(reply: DeltaReply): ReadonlyMap<ObjectKey, RefusedResource> {
    return refusalsOf(reply, (key) => this.#held.has(key))
  }

  /** Without the settings of its relay an instance has nothing to put the rest into. */
  #hasRelay({ relay, snapshot, isKept }: DeliveryView): boolean {
    const key = relayKey(relay)
    return snapshot.has(key) || (isKept(key) && this.#held.has(key))
  }

  #lacking({ snapshot, isKept }: DeliveryView): { upserts: EncodedResource[]; removals: ObjectKey[] } {
    const upserts: EncodedResource[] = []
    const removals: ObjectKey[] = []
    for (const key of this.#dirty) {
      const wanted = snapshot.get(key)
      const held = this.#held.get(key)
      if (wanted !== undefined) {
        if (wanted.versionHex !== held) upserts.push(wanted)
      } else if (held !== undefined && !isKept(key)) removals.push(key)
    }
    return { upserts, removals }
  }

  #send(view: DeliveryView, upserts: EncodedResource[], removals: ObjectKey[], rewound: boolean): Delta {
    const nonce = ++this.#nonce
    const changed = new Map<ObjectKey, string | undefined>(removals.map((key) => [key, undefined]))
    for (const { objectKey, versionHex } of upserts) changed.set(objectKey, versionHex)
    const positions = rewound ? view.positions.read : positionsFor(view.positions, this.#positions)
    this.#outstanding = { nonce, changed, positions: new Map(positions) }
    this.#dirty.clear()
    return create(DeltaSchema, {
      nonce,
      positions: [...positions].map(([kind, { source, value }]) => ({
        kind,
        position: { source: Uint8Array.from(source), value },
      })),
      upserts: upserts.map(({ kind, name, version, body }) => ({
        kind: resourceKindNumber(kind),
        name,
        version: Uint8Array.from(version),
        body: Uint8Array.from(body),
      })),
      removals: removals.flatMap((key) => {
        const id = resourceIdOf(key)
        return id === undefined ? [] : [{ kind: resourceKindNumber(id.kind), name: id.name }]
      }),
      rewound,
    })
  }

  /** Said again because what it refuses has changed since. */
  #repeated(reply: DeltaReply): Outcome {
    if (reply.nonce !== this.#nonce || reply.error !== undefined) {
      // An answer to the Delta before the outstanding one: the next reply has it too.
      if (reply.nonce < this.#nonce && reply.error === undefined) {
        return { is: 'accepted', changed: new Map(), refused: this.#refused(reply) }
      }
      return { is: 'inconsistent', message: `a reply to Delta ${reply.nonce}, which is not outstanding` }
    }
    return { is: 'accepted', changed: new Map(), refused: this.#refused(reply) }
  }

  #notTaken({ changed }: Outstanding, { code, message }: NonNullable<DeltaReply['error']>): Outcome {
    this.mark(changed.keys())
    switch (code) {
      case DeltaErrorCode.STALE_SOURCE:
        this.#staleReplies++
        if (this.#staleReplies <= MAX_STALE_REPLIES) return { is: 'stale' }
        return { is: 'inconsistent', message: 'it calls stale what was said to be rewound' }
      case DeltaErrorCode.MALFORMED:
        return { is: 'not taken', reason: 'Malformed', message, keys: [...changed.keys()] }
      case DeltaErrorCode.NOT_STORED:
        return { is: 'not taken', reason: 'NotStored', message, keys: [...changed.keys()] }
      default:
        return { is: 'inconsistent', message }
    }
  }
}

/** A message has room for the rest: positions, and what is around it. */
const MAX_DELTA_OCTETS = MAX_MESSAGE_OCTETS - 64 * 1024

function octetsOf(upserts: readonly EncodedResource[]): number {
  return upserts.reduce((sum, { name, body }) => sum + name.length + body.length + OCTETS_BESIDE, 0)
}
