import { LimitError, type NpampError } from '../errors.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { AAD_OCTETS, decodeHeaderFields, type FrameHeader, HEADER_OCTETS, refuseIllegal } from './header.ts'
import { concatOctets } from './octets.ts'

/** Largest whole frame, header included, that we take unless configured otherwise (digest 01 section 6). */
export const MAX_FRAME_OCTETS = 16 * 1024 * 1024
/** Before Established (digest 01 section 6, ours): the largest legal flight has about 7.3 KiB. */
export const MAX_HANDSHAKE_FRAME_OCTETS = 64 * 1024

/** One frame as it came. */
export class RawFrame {
  readonly header: FrameHeader
  /** Octets 0-20 of the header as received: the associated data, never rebuilt. */
  readonly aad: Uint8Array
  /** The `header.payloadOctets` behind them, in the chunks they came in. */
  readonly pieces: readonly Uint8Array[]

  constructor(header: FrameHeader, aad: Uint8Array, pieces: readonly Uint8Array[]) {
    this.header = header
    this.aad = aad
    this.pieces = pieces
  }

  /** The pieces in one array: a view when there is only one, else a copy. */
  get payload(): Uint8Array {
    const [only] = this.pieces
    return only !== undefined && this.pieces.length === 1 ? only : concatOctets(this.pieces)
  }
}

export interface DeframerOptions {
  readonly maxFrameOctets: number
}

/**
 * Cuts a byte stream into frames, whatever its slicing. Steps 1 to 8 of digest 01 section 5 in that order. Frames are
 * views of the chunks, so that memory follows the octets received, never the declared length.
 */
export class Deframer {
  /** Cap on a whole frame; takes effect from the next header on. */
  maxFrameOctets: number
  readonly #queue = new ChunkQueue()
  /** Of the frame whose payload is awaited. */
  #header: FrameHeader | undefined
  #aad: Uint8Array = NOTHING
  #failure: NpampError | undefined

  constructor(options: DeframerOptions) {
    this.maxFrameOctets = options.maxFrameOctets
  }

  /** The chunk is kept by reference until its frames were taken: do not reuse it. */
  push(chunk: Uint8Array): void {
    this.#queue.push(chunk)
  }

  /**
   * The next whole frame, or undefined until more octets come. Throws MalformedError or LimitError FRAME_TOO_LARGE, which
   * are fatal: the place where the next frame begins is unknown, so every later call throws the same.
   */
  next(): RawFrame | undefined {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return this.#take()
    } catch (error) {
      this.#failure = error as NpampError
      throw error
    }
  }

  /** Octets that were pushed and belong to no returned frame. */
  get heldOctets(): number {
    return this.#queue.length + (this.#header === undefined ? 0 : HEADER_OCTETS)
  }

  /** True when the stream must not end here: part of a frame is held. */
  get midFrame(): boolean {
    return this.heldOctets > 0
  }

  #take(): RawFrame | undefined {
    const header = this.#header ?? this.#takeHeader()
    if (header === undefined || this.#queue.length < header.payloadOctets) return undefined
    const frame = new RawFrame(header, this.#aad, this.#queue.take(header.payloadOctets))
    this.#header = undefined
    // An idle stream must not hold the chunk that its last frame came in.
    this.#aad = NOTHING
    refuseIllegal(header)
    return frame
  }

  /** Read in place: a view of each header would cost as much as reading it. */
  #takeHeader(): FrameHeader | undefined {
    if (this.#queue.length < HEADER_OCTETS) return undefined
    this.#queue.gather(HEADER_OCTETS)
    const { first, offset } = this.#queue
    const header = decodeHeaderFields(first, offset)
    if (HEADER_OCTETS + header.payloadOctets > this.maxFrameOctets) throw tooLarge(header, this.maxFrameOctets)
    this.#queue.skip(HEADER_OCTETS)
    this.#header = header
    this.#aad = first.subarray(offset, offset + AAD_OCTETS)
    return header
  }
}

const NOTHING = new Uint8Array(0)

function tooLarge(header: FrameHeader, maxFrameOctets: number): LimitError {
  return new LimitError(
    'FRAME_TOO_LARGE',
    `a frame of ${HEADER_OCTETS + header.payloadOctets} octets exceeds ${maxFrameOctets}`,
  )
}
