import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { BRIDGE_FRAME, CHANNEL } from '@causeway/npamp'
import { exchange, newPair } from '../parts/association-pair.ts'
import { ownCpuMsOf } from '../parts/cpu.ts'
import type { Bench, BenchOptions, Row } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const KIB = 1024
/** What one read of a TLS socket delivers at most. */
const CHUNK_OCTETS = 16 * KIB
const HEADER_AND_TAG_OCTETS = 52
/** Frames in a row, before the other side's turn. */
const SIZES = [
  { octets: KIB, frames: 16_384, atLeast: 0.8 },
  { octets: 16 * KIB, frames: 8_192, atLeast: 0.8 },
  { octets: 256 * KIB, frames: 768, atLeast: 0.6 },
]
/** Rounds here take a fifth of a second. */
const ROUND_FACTOR = 3

/** One frame from plaintext to plaintext. */
type Path = () => void
/** What a socket does with the pieces that it is given: joins them, and gives them out in chunks. */
type Carry = (pieces: readonly Uint8Array[]) => readonly Uint8Array[]

export const recordPath: Bench = {
  name: 'record-path',
  about: 'seal at one end, 16 KiB chunks in and one plaintext out at the other, against bare AES-256-GCM, in CPU time',
  run: async (options) => SIZES.map((size) => measure(size, options)),
}

function measure({ octets, frames, atLeast }: (typeof SIZES)[number], { rounds }: BenchOptions): Row {
  const payload = randomBytes(octets)
  const live = livePath(payload, carryThrough(octets))
  const bare = barePath(payload, carryThrough(octets))
  const timed = (path: Path) =>
    ownCpuMsOf(() => {
      for (let frame = 0; frame < frames; frame++) path()
    })
  const found: { live: number; bare: number }[] = []
  for (let round = -1; round < rounds * ROUND_FACTOR; round++) {
    const one = { live: timed(live), bare: timed(bare) }
    // The first round warms the code up.
    if (round >= 0) found.push(one)
  }
  const perSecond = (ms: number) => ((octets * frames) / KIB / KIB / ms) * 1_000
  return {
    name: `record path, ${octets / KIB} KiB, against bare AES-256-GCM`,
    figure: medianInterval(found.map((one) => one.bare / one.live)),
    unit: 'x',
    bar: { atLeast },
    absolute: {
      'live MiB per CPU second': perSecond(median(found.map((one) => one.live))),
      'bare MiB per CPU second': perSecond(median(found.map((one) => one.bare))),
    },
  }
}

function livePath(payload: Uint8Array, carry: Carry): Path {
  const { initiator, responder } = newPair(0)
  exchange({ initiator, responder }, 0)
  return () => {
    initiator.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, parts: [payload] })
    for (const chunk of carry(initiator.transmit(0, Number.MAX_SAFE_INTEGER))) responder.receive(chunk, 0)
    const event = responder.nextEvent()
    if (event?.type !== 'frame' || event.payload.length !== payload.length) throw new Error('the frame did not arrive')
  }
}

/** The same octets go through the same chunks, which then nobody reads: only the protocol's own work differs. */
function barePath(payload: Uint8Array, carry: Carry): Path {
  const key = createSecretKey(randomBytes(32))
  const nonce = randomBytes(12)
  const aad = randomBytes(21)
  const header = randomBytes(36)
  let frame = 0
  return () => {
    nonce.writeUInt32BE(frame++ % 2 ** 32, 8)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(aad)
    const sealed = cipher.update(payload)
    cipher.final()
    const tag = cipher.getAuthTag()
    carry([header, sealed, tag])
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAAD(aad)
    decipher.setAuthTag(tag)
    decipher.update(sealed)
    decipher.final()
  }
}

function carryThrough(octets: number): Carry {
  const stream = new Uint8Array(octets + HEADER_AND_TAG_OCTETS)
  return (pieces) => {
    let end = 0
    for (const piece of pieces) {
      stream.set(piece, end)
      end += piece.length
    }
    const chunks: Uint8Array[] = []
    for (let at = 0; at < end; at += CHUNK_OCTETS) chunks.push(stream.subarray(at, Math.min(at + CHUNK_OCTETS, end)))
    return chunks
  }
}
