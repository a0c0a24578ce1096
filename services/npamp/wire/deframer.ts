import { LimitError, type NpampError } from '../errors.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { decodeHeaderFields, type FrameHeader, HEADER_OCTETS, refuseIllegal } from './header.ts'
import { concatOctets } from './octets.ts'

/** Largest whole frame, header included, that we take unless configured otherwise (digest 01 section 6). */
export const MAX_FRAME_OCTETS = 16 * 1024 * 1024
/** Before Established (digest 01 section 6, ours): the largest legal flight has about 7.3 KiB. */
export const MAX_HANDSHAKE_FRAME_OCTETS = 64 * 1024

/** One frame as it came. */
export class RawFrame {
  readonly header: FrameHeader
  /** The 36 octets as received: octets 0-20 are the associated data, never a rebuilt header. */
  readonly headerOctets: Uint8Array
  /** The `header.payloadOctets` behind them, in the chunks they came in. */
  readonly pieces: readonly Uint8Array[]

  constructor(header: FrameHeader, headerOctets: Uint8Array, pieces: readonly Uint8Array[]) {
    this.header = header
    this.headerOctets = headerOctets
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
  #header: { fields: FrameHeader; octets: Uint8Array } | undefined
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
    if (this.#header === undefined) {
      if (this.#queue.length < HEADER_OCTETS) return undefined
      const octets = this.#queue.take(HEADER_OCTETS)
      const fields = decodeHeaderFields(octets, 0)
      if (HEADER_OCTETS + fields.payloadOctets > this.maxFrameOctets) throw tooLarge(fields, this.maxFrameOctets)
      this.#header = { fields, octets }
    }
    const { fields, octets } = this.#header
    if (this.#queue.length < fields.payloadOctets) return undefined
    const pieces = this.#queue.takePieces(fields.payloadOctets)
    this.#header = undefined
    refuseIllegal(fields)
    return new RawFrame(fields, octets, pieces)
  }
}

function tooLarge(header: FrameHeader, maxFrameOctets: number): LimitError {
  return new LimitError(
    'FRAME_TOO_LARGE',
    `a frame of ${HEADER_OCTETS + header.payloadOctets} octets exceeds ${maxFrameOctets}`,
  )
}
