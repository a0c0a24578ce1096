import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { type Association, BRIDGE_FRAME, CHANNEL } from '@causeway/npamp'
import { exchange, newPair } from '../parts/association-pair.ts'
import type { Bench, BenchOptions, Row } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const KIB = 1024
/** What one read of a TLS socket delivers at most. */
const CHUNK_OCTETS = 16 * KIB
const HEADER_AND_TAG_OCTETS = 52
/** `burst` frames are sealed, then opened, between two looks at the clock, which would else be a few per cent itself. */
const SIZES = [
  { octets: KIB, burst: 32, bursts: 64, atLeast: 0.8 },
  { octets: 16 * KIB, burst: 4, bursts: 128, atLeast: 0.8 },
  { octets: 256 * KIB, burst: 1, bursts: 64, atLeast: 0.6 },
]
/** Rounds here take milliseconds, and many of them cost nothing. */
const ROUND_FACTOR = 6
const WARM_UP_ROUNDS = 3

export const recordPath: Bench = {
  name: 'record-path',
  about: 'seal at one end, 16 KiB chunks in and one plaintext out at the other, against bare AES-256-GCM',
  run: async (options) => SIZES.map((size) => measure(size, options)),
}

function measure({ octets, burst, bursts, atLeast }: (typeof SIZES)[number], { rounds }: BenchOptions): Row {
  const payload = randomBytes(octets)
  const frames = burst * bursts
  const live = livePath(payload, burst)
  const bare = bareCipher()
  const ratios: number[] = []
  const liveTimes: number[] = []
  const bareTimes: number[] = []
  for (let round = -WARM_UP_ROUNDS; round < rounds * ROUND_FACTOR; round++) {
    let liveMs = 0
    let bareMs = 0
    // Turn by turn, so that both meet the same weather.
    for (let count = 0; count < bursts; count++) {
      liveMs += live()
      bareMs += bare(payload, burst)
    }
    if (round < 0) continue
    ratios.push(bareMs / liveMs)
    liveTimes.push(liveMs)
    bareTimes.push(bareMs)
  }
  const mib = (octets * frames) / KIB / KIB
  return {
    name: `record path, ${octets / KIB} KiB, against bare AES-256-GCM`,
    figure: medianInterval(ratios),
    unit: 'x',
    bar: { atLeast },
    absolute: { 'live MiB/s': (mib / median(liveTimes)) * 1_000, 'bare MiB/s': (mib / median(bareTimes)) * 1_000 },
  }
}

/**
 * Milliseconds of one burst in the protocol's own calls. What sockets do in between, joining the pieces and cutting the
 * stream into chunks, is not counted.
 */
function livePath(payload: Uint8Array, burst: number): () => number {
  const pair = newPair(0)
  exchange(pair, 0)
  const { initiator, responder } = pair
  const streams = Array.from({ length: burst }, () => new Uint8Array(payload.length + HEADER_AND_TAG_OCTETS))
  return () => {
    const sealing = performance.now()
    const sealed = streams.map(() => {
      initiator.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, parts: [payload] })
      return initiator.transmit(0, Number.MAX_SAFE_INTEGER)
    })
    const sealedAt = performance.now()
    const frames = streams.map((stream, at) => chunked(stream, sealed[at] ?? []))
    const opening = performance.now()
    const opened = frames.reduce((count, chunks) => count + receive(responder, chunks, payload.length), 0)
    const openedAt = performance.now()
    if (opened !== burst) throw new Error(`${opened} of ${burst} frames arrived`)
    return sealedAt - sealing + openedAt - opening
  }
}

/** Frames of that length that the chunks held. */
function receive(to: Association, chunks: readonly Uint8Array[], octets: number): number {
  let frames = 0
  for (const chunk of chunks) to.receive(chunk, 0)
  for (let event = to.nextEvent(); event !== undefined; event = to.nextEvent()) {
    if (event.type === 'frame' && event.payload.length === octets) frames += 1
  }
  return frames
}

function chunked(stream: Uint8Array, pieces: readonly Uint8Array[]): Uint8Array[] {
  let end = 0
  for (const piece of pieces) {
    stream.set(piece, end)
    end += piece.length
  }
  const chunks: Uint8Array[] = []
  for (let at = 0; at < end; at += CHUNK_OCTETS) chunks.push(stream.subarray(at, Math.min(at + CHUNK_OCTETS, end)))
  return chunks
}

function bareCipher(): (payload: Uint8Array, frames: number) => number {
  const key = createSecretKey(randomBytes(32))
  const nonce = randomBytes(12)
  const aad = randomBytes(21)
  return (payload, frames) => {
    const started = performance.now()
    for (let frame = 0; frame < frames; frame++) {
      nonce.writeUInt32BE(frame, 8)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(aad)
      const sealed = cipher.update(payload)
      cipher.final()
      const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      decipher.setAAD(aad)
      decipher.setAuthTag(cipher.getAuthTag())
      decipher.update(sealed)
      decipher.final()
    }
    return performance.now() - started
  }
}
