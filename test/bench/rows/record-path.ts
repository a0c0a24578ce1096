import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { type Association, BRIDGE_FRAME, CHANNEL } from '@causeway/npamp'
import { exchange, newPair } from '../parts/association-pair.ts'
import type { Bench, BenchOptions, Row } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const KIB = 1024
/** What one read of a TLS socket delivers at most. */
const CHUNK_OCTETS = 16 * KIB
const SIZES = [
  { octets: KIB, frames: 2_048, atLeast: 0.8 },
  { octets: 16 * KIB, frames: 512, atLeast: 0.8 },
  { octets: 256 * KIB, frames: 64, atLeast: 0.6 },
]
/** Rounds here take milliseconds, and many of them cost nothing. */
const ROUND_FACTOR = 6

export const recordPath: Bench = {
  name: 'record-path',
  about: 'seal at one end, 16 KiB chunks in and one plaintext out at the other, against bare AES-256-GCM',
  run: async (options) => SIZES.map((size) => measure(size, options)),
}

function measure({ octets, frames, atLeast }: (typeof SIZES)[number], { rounds }: BenchOptions): Row {
  const payload = randomBytes(octets)
  const pair = newPair(0)
  exchange(pair, 0)
  const bare = bareCipher()
  const ratios: number[] = []
  const live: number[] = []
  const plain: number[] = []
  for (let round = -1; round < rounds * ROUND_FACTOR; round++) {
    const liveMs = livePath(pair.initiator, pair.responder, payload, frames)
    const bareMs = bare(payload, frames)
    // The first round warms the code up.
    if (round < 0) continue
    ratios.push(bareMs / liveMs)
    live.push(liveMs)
    plain.push(bareMs)
  }
  const mib = (octets * frames) / KIB / KIB
  return {
    name: `record path, ${octets / KIB} KiB, against bare AES-256-GCM`,
    figure: medianInterval(ratios),
    unit: 'x',
    bar: { atLeast },
    absolute: { 'live MiB/s': (mib / median(live)) * 1_000, 'bare MiB/s': (mib / median(plain)) * 1_000 },
  }
}

/** Milliseconds in the protocol's own calls; cutting the stream into chunks, which the socket does, is not counted. */
function livePath(from: Association, to: Association, payload: Uint8Array, frames: number): number {
  let spent = 0
  let opened = 0
  for (let frame = 0; frame < frames; frame++) {
    const started = performance.now()
    from.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, parts: [payload] })
    const pieces = from.transmit(0, Number.MAX_SAFE_INTEGER)
    spent += performance.now() - started
    const chunks = chunked(Buffer.concat(pieces))
    const resumed = performance.now()
    for (const chunk of chunks) to.receive(chunk, 0)
    for (let event = to.nextEvent(); event !== undefined; event = to.nextEvent()) {
      if (event.type === 'frame' && event.payload.length === payload.length) opened += 1
    }
    spent += performance.now() - resumed
  }
  if (opened !== frames) throw new Error(`${opened} of ${frames} frames arrived`)
  return spent
}

function chunked(stream: Buffer): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < stream.length; at += CHUNK_OCTETS) {
    chunks.push(new Uint8Array(stream.buffer, stream.byteOffset + at, Math.min(CHUNK_OCTETS, stream.length - at)))
  }
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
