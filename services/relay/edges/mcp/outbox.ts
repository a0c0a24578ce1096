import type { ServerResponse } from 'node:http'
import type { Clock } from '@causeway/npamp/transports'

/** What one write hands to the socket at most: small enough that a slow client shows that it makes progress. */
const SLICE_OCTETS = 64 * 1024

export interface OutboxOptions {
  readonly clock: Clock
  readonly stallMs: number
  /** The client took everything that waited. */
  readonly onRelief: () => void
  /** The client took nothing for `stallMs`. */
  readonly onStall: () => void
}

/**
 * The body of one response on its way to a client that may be slow. Pieces go out as the client takes them; each slice
 * that it takes is progress. Headers have been set before the first piece.
 */
export class Outbox {
  readonly #response: ServerResponse
  readonly #options: OutboxOptions
  readonly #queue: Queued[] = []
  #waitingOctets = 0
  #behind = false
  #ending = false
  #stall: unknown
  #resuming: NodeJS.Immediate | undefined
  /** The response waits behind others on its connection (HTTP pipelining): the client cannot take anything of it yet. */
  #awaitsTurn = false

  constructor(response: ServerResponse, options: OutboxOptions) {
    this.#response = response
    this.#options = options
    response.on('drain', this.#onDrain)
    response.once('close', () => this.#close())
  }

  /** Whether the client takes less than it is given. */
  get behind(): boolean {
    return this.#behind
  }

  /** Octets that wait here and in the socket; 0 while the client keeps up. */
  get waitingOctets(): number {
    return this.#behind ? this.#waitingOctets + this.#response.writableLength : 0
  }

  /** `octets` is about what the pieces hold together. */
  push(pieces: Iterable<Uint8Array>, octets: number): void {
    this.#queue.push({ pieces: pieces[Symbol.iterator](), octets, rest: undefined })
    this.#waitingOctets += octets
    if (!this.#behind) this.#pump()
  }

  /** Ends the response behind everything that was pushed. */
  end(): void {
    this.#ending = true
    if (!this.#behind) this.#pump()
  }

  /** Other connections have their turn first: a client that takes everything must not keep the process to itself. */
  readonly #onDrain = (): void => {
    this.#disarm()
    this.#arm()
    this.#resuming ??= setImmediate(this.#resume)
  }

  readonly #resume = (): void => {
    this.#resuming = undefined
    this.#disarm()
    const wasBehind = this.#behind
    this.#behind = false
    this.#pump()
    if (wasBehind && !this.#behind && !this.#ending) this.#options.onRelief()
  }

  #pump(): void {
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      const slice = nextSlice(head)
      const gone = slice === undefined ? head.octets : Math.min(slice.length, head.octets)
      head.octets -= gone
      this.#waitingOctets -= gone
      if (slice === undefined) this.#queue.shift()
      else if (!this.#response.write(slice)) {
        this.#behind = true
        this.#arm()
        return
      }
    }
    if (this.#ending) this.#finish()
  }

  #finish(): void {
    this.#response.end()
    if (isWithSystem(this.#response)) return
    this.#arm()
    this.#response.once('finish', () => this.#disarm())
  }

  /** The connection is gone: whoever waits for relief learns that from the response itself. */
  #close(): void {
    this.#disarm()
    clearImmediate(this.#resuming)
    this.#response.off('drain', this.#onDrain)
    this.#queue.length = 0
    this.#waitingOctets = 0
    this.#behind = false
  }

  #arm(): void {
    if (this.#response.socket === null) {
      if (!this.#awaitsTurn) this.#response.once('socket', this.#onTurn)
      this.#awaitsTurn = true
      return
    }
    this.#stall ??= this.#options.clock.setTimeout(() => {
      this.#stall = undefined
      this.#options.onStall()
    }, this.#options.stallMs)
  }

  readonly #onTurn = (): void => {
    this.#awaitsTurn = false
    this.#arm()
  }

  #disarm(): void {
    this.#awaitsTurn = false
    this.#response.off('socket', this.#onTurn)
    if (this.#stall === undefined) return
    this.#options.clock.clearTimeout(this.#stall)
    this.#stall = undefined
  }
}

/**
 * Sends `body` as all there is of a response whose headers are set: in one write with them where it is small. `onStall` as
 * in Outbox.
 */
export function sendWhole(response: ServerResponse, body: Uint8Array, options: Omit<OutboxOptions, 'onRelief'>): void {
  if (body.length <= SLICE_OCTETS) {
    response.end(body)
    // The system almost always has room for so little.
    if (isWithSystem(response)) return
  }
  const outbox = new Outbox(response, { ...options, onRelief: () => {} })
  if (body.length > SLICE_OCTETS) outbox.push([body], body.length)
  outbox.end()
}

/** Whether nothing of an ended response waits in this process: that it is finished is said only in a later turn. */
function isWithSystem(response: ServerResponse): boolean {
  return response.writableLength === 0
}

interface Queued {
  readonly pieces: Iterator<Uint8Array>
  /** What of it still waits here. */
  octets: number
  rest: Uint8Array | undefined
}

function nextSlice(queued: Queued): Uint8Array | undefined {
  const piece = queued.rest ?? queued.pieces.next().value
  if (piece === undefined) return undefined
  if (piece.length <= SLICE_OCTETS) {
    queued.rest = undefined
    return piece
  }
  queued.rest = piece.subarray(SLICE_OCTETS)
  return piece.subarray(0, SLICE_OCTETS)
}
