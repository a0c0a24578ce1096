import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { hkdfExpandLabel, hkdfLabel } from './expand-label.ts'

const NONE = new Uint8Array(0)

describe('hkdfLabel', () => {
  it(`${requirement('HS-035', 'HS-036')} encodes "c hs" with a 32-octet context as the digest shows`, () => {
    const info = hkdfLabel('c hs', new Uint8Array(32).fill(0xab), 32)
    expect(hex(info)).toBe(`00200b6e2d70616d70206320687320${'ab'.repeat(32)}`)
  })

  it(`${requirement('HS-036')} takes label and context of up to 255 octets`, () => {
    const label = 'x'.repeat(248)
    const info = hkdfLabel(label, new Uint8Array(255), 0x1234)
    expect(hex(info.subarray(0, 3))).toBe('1234ff')
    expect(info[3 + 255]).toBe(255)
    expect(info.length).toBe(2 + 1 + 255 + 1 + 255)
  })

  it(`${requirement('HS-036')} refuses what does not fit its length field`, () => {
    expect(failure(() => hkdfLabel('x'.repeat(249), NONE, 32))).toBe('limit/LENGTH')
    expect(failure(() => hkdfLabel('x', new Uint8Array(256), 32))).toBe('limit/LENGTH')
    for (const length of [-1, 0x10000, 1.5, Number.NaN]) {
      expect(failure(() => hkdfLabel('x', NONE, length))).toBe('limit/LENGTH')
    }
  })

  it('refuses a label that is not ASCII', () => {
    expect(failure(() => hkdfLabel('ключ', NONE, 32))).toBe('misuse/ARGUMENT')
  })
})

describe.each(PROVIDERS)('hkdfExpandLabel on $name', (provider) => {
  it.each(['sha256', 'sha384'] as const)('gives up to 255 blocks of %s and refuses more', (hash) => {
    const limit = 255 * (hash === 'sha256' ? 32 : 48)
    const expand = (length: number) => hkdfExpandLabel(provider, hash, new Uint8Array(32), 'key', NONE, length)
    expect(expand(0).length).toBe(0)
    expect(expand(limit).length).toBe(limit)
    expect(failure(() => expand(limit + 1))).toBe('limit/LENGTH')
  })
})
