import { describe, expect, it } from 'vitest'
import { RELEASE_FROM_OCTETS, release } from './octets.ts'

describe('release', () => {
  it('gives back a large array that is all of its buffer', () => {
    const octets = new Uint8Array(RELEASE_FROM_OCTETS)
    const view = octets.subarray(1)
    release(octets)
    expect([octets.length, view.length, octets.buffer.byteLength]).toEqual([0, 0, 0])
  })

  it('leaves alone what is small, or shares its buffer with something else', () => {
    const small = new Uint8Array(RELEASE_FROM_OCTETS - 1)
    const whole = new Uint8Array(2 * RELEASE_FROM_OCTETS)
    release(small)
    release(whole.subarray(RELEASE_FROM_OCTETS))
    expect(small.length).toBe(RELEASE_FROM_OCTETS - 1)
    expect(whole.length).toBe(2 * RELEASE_FROM_OCTETS)
  })

  it('is harmless a second time', () => {
    const octets = new Uint8Array(RELEASE_FROM_OCTETS)
    release(octets)
    release(octets)
    expect(octets.length).toBe(0)
  })
})
