import { Association } from '../../services/npamp/association/association.ts'
import type { AssociationEvent, OutboundFrame } from '../../services/npamp/association/contract.ts'
import type { AssociationOptions } from '../../services/npamp/association/options.ts'
import { type EndOptions, initiatorOptions, responderOptions } from './ends.ts'
import { Pipe, type PipeOptions } from './pipe.ts'
import { SeededRandom } from './random.ts'

const NEVER = Number.POSITIVE_INFINITY
/** How many octets an end takes from its association before it looks whether the pipe is full. */
const TRANSMIT_OCTETS = 64 * 1024

export interface WorldOptions {
  readonly seed?: number
  readonly initiator?: EndOptions
  readonly responder?: EndOptions
  /** Towards the responder, and towards the initiator. */
  readonly there?: PipeOptions
  readonly back?: PipeOptions
  /** Same for both ways. */
  readonly pipes?: PipeOptions
  /** Alters octets under way; `from` names the writer. */
  readonly tamper?: (octets: Uint8Array, from: 'initiator' | 'responder') => Uint8Array
}

/** One end: an association and a driver as small as the contract allows. */
export class End {
  readonly name: 'initiator' | 'responder'
  readonly association: Association
  readonly events: AssociationEvent[] = []
  /** Called for every event, as it comes. */
  onEvent: ((event: AssociationEvent, now: number) => void) | undefined
  /** False: its reader stopped, as while the process pauses reading. */
  reading = true
  /** True: the process hangs; it neither reads nor writes nor runs timers. */
  frozen = false
  #ended = false

  constructor(name: End['name'], options: AssociationOptions, now: number) {
    this.name = name
    this.association = new Association(options, now)
  }

  get closed(): Extract<AssociationEvent, { type: 'closed' }>['cause'] | undefined {
    const last = this.events.at(-1)
    return last?.type === 'closed' ? last.cause : undefined
  }

  /** Code of the error that ended it, `peer N` or `local N` for a CLOSE. */
  get fate(): string | undefined {
    const cause = this.closed
    if (cause === undefined) return undefined
    return cause.by === 'error' ? cause.error.code : `${cause.by} ${cause.code}`
  }

  /** Payloads of the frames received, in order. */
  get payloads(): Uint8Array[] {
    return this.events.flatMap((event) => (event.type === 'frame' ? [event.payload] : []))
  }

  send(frame: OutboundFrame): void {
    this.association.send(frame)
  }

  /** Told once, however the transport ended; true that once. */
  transportEnded(clean: boolean, now: number): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.association.transportEnded(clean, now)
    return true
  }
}

/** Two associations, a virtual clock and the connection between them; the same seed gives the same run. */
export class World {
  now = 0
  readonly random: SeededRandom
  readonly initiator: End
  readonly responder: End
  readonly there: Pipe
  readonly back: Pipe
  readonly #tamper: WorldOptions['tamper']

  constructor(options: WorldOptions = {}) {
    this.random = new SeededRandom(options.seed ?? 1)
    this.there = new Pipe({ ...options.pipes, ...options.there }, this.random)
    this.back = new Pipe({ ...options.pipes, ...options.back }, this.random)
    this.#tamper = options.tamper
    this.initiator = new End('initiator', initiatorOptions(options.initiator), 0)
    this.responder = new End('responder', responderOptions(options.responder), 0)
  }

  get ends(): readonly [End, End] {
    return [this.initiator, this.responder]
  }

  /** Runs until nothing is due before `until`; then the clock stands there. */
  runUntil(until: number): this {
    this.#settle()
    for (let at = this.#nextAt(); at <= until; at = this.#nextAt()) {
      this.now = Math.max(this.now, at)
      for (const end of this.ends) if (!end.frozen) end.association.handleTimeout(this.now)
      this.#settle()
    }
    this.now = Math.max(this.now, until)
    return this
  }

  run(ms: number): this {
    return this.runUntil(this.now + ms)
  }

  /** Lets both become ready. */
  connect(): this {
    this.run(1_000)
    for (const end of this.ends) {
      if (end.association.state !== 'ready') throw new Error(`${end.name} is ${end.association.state}: ${end.fate}`)
    }
    return this
  }

  #nextAt(): number {
    const toResponder = reads(this.responder) ? this.there.nextAt() : NEVER
    const toInitiator = reads(this.initiator) ? this.back.nextAt() : NEVER
    const timers = this.ends.map((end) => (end.frozen ? NEVER : (end.association.nextTimeout() ?? NEVER)))
    return Math.min(toResponder, toInitiator, ...timers)
  }

  /** Everything that happens at this instant. */
  #settle(): void {
    let moving = true
    while (moving) {
      this.#write(this.initiator, this.there)
      this.#write(this.responder, this.back)
      const there = this.#read(this.responder, this.there)
      const back = this.#read(this.initiator, this.back)
      moving = there || back
    }
  }

  /** Events, then octets while the pipe takes them. */
  #write(end: End, pipe: Pipe): void {
    if (end.frozen) return
    this.#collect(end)
    while (!pipe.full) {
      const pieces = end.association.transmit(this.now, TRANSMIT_OCTETS)
      if (pieces.length === 0) break
      for (const piece of pieces) pipe.write(this.#tamper?.(piece, end.name) ?? piece, this.now)
      this.#collect(end)
    }
    if (end.association.state === 'closed') pipe.ended = true
  }

  /** What has arrived, one slice, or the end. True when there was something. */
  #read(end: End, pipe: Pipe): boolean {
    if (!reads(end)) return false
    const octets = pipe.read(this.now)
    if (octets !== undefined) {
      end.association.receive(octets, this.now)
      return true
    }
    return pipe.ending !== 'none' && this.#lose(end, pipe.ending === 'clean')
  }

  /** A loss is noticed by both ends, an orderly end by its reader. */
  #lose(reader: End, clean: boolean): boolean {
    const told = (clean ? [reader] : this.ends).map((end) => end.transportEnded(clean, this.now))
    return told.some((first) => first)
  }

  #collect(end: End): void {
    for (let event = end.association.nextEvent(); event !== undefined; event = end.association.nextEvent()) {
      end.events.push(event)
      end.onEvent?.(event, this.now)
    }
  }
}

function reads(end: End): boolean {
  return end.reading && !end.frozen
}
