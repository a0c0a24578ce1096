import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { deriveNonce, IV_OCTETS, Iv } from './nonce.ts'

const anySequence = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn })
const anyIv = fc.uint8Array({ minLength: 12, maxLength: 12 })

describe('deriveNonce', () => {
  it(`${requirement('REC-004')} is the IV XOR the sequence as a number of 96 bits`, () => {
    fc.assert(
      fc.property(anyIv, anySequence, (iv, sequence) => {
        const expected = BigInt(`0x${hex(iv)}`) ^ sequence
        expect(hex(deriveNonce(iv, sequence))).toBe(expected.toString(16).padStart(24, '0'))
      }),
    )
  })

  it(`${requirement('REC-004')} is right on both sides of every width`, () => {
    const iv = new Uint8Array(12).fill(0x5a)
    for (const bits of [0n, 1n, 8n, 31n, 32n, 33n, 52n, 53n, 54n, 63n, 64n]) {
      for (const sequence of [(1n << bits) - 2n, (1n << bits) - 1n, 1n << bits]) {
        if (sequence < 0n || sequence >= 1n << 64n) continue
        const expected = BigInt(`0x${hex(iv)}`) ^ sequence
        expect(hex(deriveNonce(iv, sequence))).toBe(expected.toString(16).padStart(24, '0'))
      }
    }
  })

  it(`${requirement('REC-010')} differs for different sequence numbers`, () => {
    fc.assert(
      fc.property(anyIv, anySequence, anySequence, (iv, a, b) => {
        fc.pre(a !== b)
        expect(hex(deriveNonce(iv, a))).not.toBe(hex(deriveNonce(iv, b)))
      }),
    )
  })

  it('writes into the array it is given and leaves the IV alone', () => {
    const iv = new Uint8Array(IV_OCTETS).fill(1)
    const into = new Uint8Array(IV_OCTETS).fill(0xff)
    expect(deriveNonce(iv, 2n, into)).toBe(into)
    expect(hex(into)).toBe('010101010101010101010103')
    expect(hex(iv)).toBe('01'.repeat(12))
  })

  it('comes of an IV that is kept, which outlives its octets until it is wiped', () => {
    const octets = Uint8Array.from({ length: IV_OCTETS }, (_, index) => 0xf0 + index)
    const iv = new Iv(octets)
    octets.fill(0)
    const into = new Uint8Array(IV_OCTETS)
    expect(hex(iv.nonce(1n, into))).toBe('f0f1f2f3f4f5f6f7f8f9fafa')
    expect(hex(iv.nonce(0n, into))).toBe('f0f1f2f3f4f5f6f7f8f9fafb')
    iv.wipe()
    expect(hex(iv.nonce(1n, into))).toBe('000000000000000000000001')
  })

  it('refuses an IV or target of another length and a number that is no u64', () => {
    const iv = new Uint8Array(IV_OCTETS)
    expect(failure(() => deriveNonce(new Uint8Array(11), 0n))).toBe('misuse/ARGUMENT')
    expect(failure(() => deriveNonce(new Uint8Array(13), 0n))).toBe('misuse/ARGUMENT')
    expect(failure(() => deriveNonce(iv, 0n, new Uint8Array(11)))).toBe('misuse/ARGUMENT')
    expect(failure(() => deriveNonce(iv, -1n))).toBe('misuse/ARGUMENT')
    expect(failure(() => deriveNonce(iv, 1n << 64n))).toBe('misuse/ARGUMENT')
  })
})
