import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LimitError, MalformedError, NpampError } from '../errors.ts'
import { crc32c } from './crc32c.ts'
import { Deframer, type RawFrame } from './deframer.ts'
import { AAD_OCTETS, encodeHeader, HEADER_OCTETS } from './header.ts'
import { concatOctets } from './octets.ts'

const CAP = 64 * 1024

function frame(payload: Uint8Array, sequence = 0n): Uint8Array {
  return concatOctets([
    encodeHeader({ flags: 2, type: 0x0100, channel: 0x000d, sequence, payloadOctets: payload.length }),
    payload,
  ])
}

/** A frame whose header octets were changed behind the encoder's back, CRC right. */
function forged(change: (header: Uint8Array) => void, payload = new Uint8Array(0)): Uint8Array {
  const octets = frame(payload)
  change(octets)
  new DataView(octets.buffer).setUint32(21, crc32c(octets, 0, AAD_OCTETS))
  return octets
}

function drain(deframer: Deframer): RawFrame[] {
  const frames: RawFrame[] = []
  for (let one = deframer.next(); one !== undefined; one = deframer.next()) frames.push(one)
  return frames
}

function faultOf(octets: Uint8Array, maxFrameOctets = CAP): NpampError | undefined {
  const deframer = new Deframer({ maxFrameOctets })
  deframer.push(octets)
  try {
    drain(deframer)
  } catch (error) {
    if (error instanceof NpampError) return error
    throw error
  }
  return undefined
}

/** `octets` cut into chunks of the given lengths, over and over. */
function sliced(octets: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, index = 0; at < octets.length; index++) {
    const length = lengths[index % lengths.length] ?? 1
    chunks.push(octets.subarray(at, at + length))
    at += length
  }
  return chunks
}

describe('Deframer', () => {
  it(`${requirement('WIRE-010')} gives the same frames for every slicing`, () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 6 })
    const lengths = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(payloads, lengths, (contents, sizes) => {
        const frames = contents.map((payload, index) => frame(payload, BigInt(index)))
        const deframer = new Deframer({ maxFrameOctets: CAP })
        const got: RawFrame[] = []
        for (const chunk of sliced(concatOctets(frames), sizes)) {
          deframer.push(chunk)
          got.push(...drain(deframer))
        }
        expect(got.map((one) => one.header.sequence)).toEqual(contents.map((_, index) => BigInt(index)))
        expect(got.map((one) => concatOctets([encodeHeader(one.header), one.payload]))).toEqual(frames)
        expect(got.map((one) => one.aad)).toEqual(frames.map((octets) => octets.subarray(0, AAD_OCTETS)))
        expect(deframer.midFrame).toBe(false)
      }),
    )
  })

  it('joins large frames out of small and large chunks', () => {
    const payload = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251)
    for (const sizes of [[1], [7], [4095], [4096], [4097, 3], [16_384], [100_000, 1, 1, 1]]) {
      const deframer = new Deframer({ maxFrameOctets: 1_000_000 })
      const stream = concatOctets([frame(payload), frame(payload.subarray(5)), frame(new Uint8Array(0))])
      const got: RawFrame[] = []
      for (const chunk of sliced(stream, sizes)) {
        deframer.push(chunk)
        got.push(...drain(deframer))
      }
      expect(got.map((one) => one.payload.length)).toEqual([200_000, 199_995, 0])
      expect(Buffer.compare(got[0]?.payload ?? payload.subarray(1), payload)).toBe(0)
      expect(Buffer.compare(got[1]?.payload ?? payload, payload.subarray(5))).toBe(0)
    }
  })

  it('does not copy a frame that lies inside one chunk', () => {
    const chunk = concatOctets([frame(new Uint8Array(100)), frame(new Uint8Array(50))])
    const deframer = new Deframer({ maxFrameOctets: CAP })
    deframer.push(chunk)
    for (const one of drain(deframer)) {
      expect(one.payload.buffer).toBe(chunk.buffer)
      expect(one.aad.buffer).toBe(chunk.buffer)
    }
  })

  it('says how much it holds and whether it stands inside a frame, at every index', () => {
    const octets = frame(new Uint8Array(20))
    for (let length = 0; length < octets.length; length++) {
      const deframer = new Deframer({ maxFrameOctets: CAP })
      deframer.push(octets.subarray(0, length))
      expect(deframer.next()).toBeUndefined()
      expect(deframer.heldOctets).toBe(length)
      expect(deframer.midFrame).toBe(length > 0)
      deframer.push(octets.subarray(length))
      expect(deframer.next()?.payload.length).toBe(20)
      expect(deframer.heldOctets).toBe(0)
    }
  })

  it(`${requirement('OWN-001')} takes a frame of exactly the cap and refuses one octet more before its payload came`, () => {
    const fits = frame(new Uint8Array(CAP - HEADER_OCTETS))
    expect(faultOf(fits)).toBeUndefined()
    const tooLarge = frame(new Uint8Array(CAP - HEADER_OCTETS + 1)).subarray(0, HEADER_OCTETS)
    expect(faultOf(tooLarge)).toBeInstanceOf(LimitError)
    expect(faultOf(tooLarge)?.code).toBe('FRAME_TOO_LARGE')
  })

  it(`${requirement('OWN-001')} compares the largest length that the field can carry as a number, not as a signed one`, () => {
    const header = encodeHeader({ flags: 2, type: 0x0100, channel: 0, sequence: 0n, payloadOctets: 0xffff_ffff })
    expect(faultOf(header)?.code).toBe('FRAME_TOO_LARGE')
    expect(faultOf(header, 2 ** 33)).toBeUndefined()
  })

  it(`${requirement('OWN-001')} applies a new cap from the next header on`, () => {
    const deframer = new Deframer({ maxFrameOctets: 100 })
    deframer.push(frame(new Uint8Array(10)))
    expect(deframer.next()).toBeDefined()
    deframer.maxFrameOctets = 1000
    deframer.push(frame(new Uint8Array(500)))
    expect(deframer.next()?.payload.length).toBe(500)
    deframer.maxFrameOctets = 100
    deframer.push(frame(new Uint8Array(500)))
    expect(() => deframer.next()).toThrow(LimitError)
  })

  it(`${requirement('WIRE-004', 'WIRE-005', 'WIRE-008', 'WIRE-009', 'WIRE-017', 'WIRE-039')} checks in the order CRC, magic, version, reserved, cap, payload, type, channel`, () => {
    const faults: [string, (header: Uint8Array) => void][] = [
      ['BAD_MAGIC', (header) => header.set([0], 0)],
      ['BAD_VERSION', (header) => header.set([0x12], 4)],
      ['RESERVED_NOT_ZERO', (header) => header.set([9], 35)],
      ['FRAME_TOO_LARGE', (header) => header.set([0x7f, 0, 0, 0], 17)],
      ['ILLEGAL_FRAME_TYPE', (header) => header.set([0, 0], 5)],
      ['ILLEGAL_CHANNEL', (header) => header.set([0xff, 0xff], 7)],
    ]
    for (const [index, [code]] of faults.entries()) {
      const withThisAndLater = forged((header) => {
        for (const [, fault] of faults.slice(index)) fault(header)
      })
      expect(faultOf(withThisAndLater)?.code).toBe(code)
      withThisAndLater.set([0xee], 21)
      expect(faultOf(withThisAndLater)?.code).toBe('BAD_CRC')
    }
    const illegalType = forged((header) => header.set([0, 0], 5), new Uint8Array(3))
    expect(faultOf(illegalType.subarray(0, illegalType.length - 1))).toBeUndefined()
    expect(faultOf(illegalType)?.code).toBe('ILLEGAL_FRAME_TYPE')
  })

  it(`${requirement('WIRE-038')} passes GREASE frames on like any other, so that the owner can ignore them`, () => {
    const grease = forged((header) => header.set([0xf0, 0x00], 7), new Uint8Array(4))
    const deframer = new Deframer({ maxFrameOctets: CAP })
    deframer.push(concatOctets([grease, frame(new Uint8Array(1))]))
    expect(drain(deframer).map((one) => one.header.channel)).toEqual([0xf000, 0x000d])
  })

  it(`${requirement('OWN-002')} stays failed: later octets cannot bring it back`, () => {
    const deframer = new Deframer({ maxFrameOctets: CAP })
    deframer.push(new Uint8Array(HEADER_OCTETS))
    expect(() => deframer.next()).toThrow(MalformedError)
    deframer.push(frame(new Uint8Array(3)))
    expect(() => deframer.next()).toThrow(MalformedError)
    // A frame that was read to its end before it was refused.
    const other = new Deframer({ maxFrameOctets: CAP })
    const illegalType = forged((header) => header.set([0, 0], 5))
    other.push(concatOctets([illegalType, frame(new Uint8Array(3))]))
    for (let time = 0; time < 2; time++) expect(() => other.next()).toThrow(MalformedError)
  })

  it('keeps memory at the order of the octets received when they come one by one', () => {
    const deframer = new Deframer({ maxFrameOctets: 16 * 1024 * 1024 })
    deframer.push(encodeHeader({ flags: 2, type: 0x0100, channel: 0, sequence: 0n, payloadOctets: 8_000_000 }))
    const before = process.memoryUsage()
    for (let count = 0; count < 300_000; count++) {
      deframer.push(Uint8Array.of(count))
      deframer.next()
    }
    const after = process.memoryUsage()
    expect(deframer.heldOctets).toBe(300_036)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16_000_000)
  })

  it(`${requirement('OWN-001')} allocates nothing for a length that was only declared`, () => {
    const header = encodeHeader({ flags: 2, type: 0x0100, channel: 0, sequence: 0n, payloadOctets: 16_000_000 })
    const before = process.memoryUsage().arrayBuffers
    const waiting = Array.from({ length: 100 }, () => {
      const deframer = new Deframer({ maxFrameOctets: 16 * 1024 * 1024 })
      deframer.push(header)
      deframer.push(new Uint8Array(10))
      expect(deframer.next()).toBeUndefined()
      return deframer
    })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000)
    expect(waiting.every((one) => one.midFrame)).toBe(true)
  })

  it('throws nothing but NpampError for arbitrary octets in arbitrary slices', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 80 })), (chunks) => {
        const deframer = new Deframer({ maxFrameOctets: CAP })
        try {
          for (const chunk of chunks) {
            deframer.push(chunk)
            drain(deframer)
          }
        } catch (error) {
          expect(error).toBeInstanceOf(NpampError)
        }
      }),
    )
  })
})
