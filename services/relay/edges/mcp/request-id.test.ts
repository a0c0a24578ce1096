import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RequestIds } from './request-id.ts'

describe('request ids', () => {
  it('are UUIDv7: the time in front, then version, variant and random bits', () => {
    const ids = new RequestIds(
      () => 0x0190_0a0b_0c0d,
      (octets) => new Uint8Array(octets).fill(0xff),
    )
    expect(ids.next()).toBe('01900a0b-0c0d-7fff-bfff-ffffffffffff')
  })

  it('differ within one millisecond', () => {
    const ids = new RequestIds(() => 1, randomBytes)
    const minted = new Set(Array.from({ length: 1000 }, () => ids.next()))
    expect(minted.size).toBe(1000)
    for (const id of minted) expect(id).toMatch(/^00000000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
