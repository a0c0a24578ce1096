import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spelledNumber, spelledString } from '../../../test/fixtures/npamp/json-spelling.ts'
import { CorrelationIds } from './correlation-ids.ts'
import { octetKey } from './octet-key.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const nothingOpen = () => false

describe('correlation ids', () => {
  it.each(['7', '"7"', '1.0', 'null', '9007199254740993'])(
    `${requirement('RPC-022')} are the token %s as written, while it is free`,
    (token) => {
      const { octets, key } = new CorrelationIds().choose(utf8(token), nothingOpen, 0)
      expect(new TextDecoder().decode(octets)).toBe(token)
      expect(key).toBe(octetKey(octets))
    },
  )

  it(`${requirement('BRG-012', 'RPC-021', 'RPC-023')} get a counter while the token is open, so that no two are equal`, () => {
    const ids = new CorrelationIds()
    const open = new Set<string>()
    for (let count = 0; count < 100; count++) open.add(ids.choose(utf8('1'), (key) => open.has(key), 0).key)
    expect(open.size).toBe(100)
    expect([...open].slice(0, 3)).toEqual(['1', '1#0000000000000001', '1#0000000000000002'])
  })

  it('leave the token out where it is longer than 238 octets', () => {
    const ids = new CorrelationIds()
    const longest = `"${'x'.repeat(236)}"`
    expect(ids.choose(utf8(longest), nothingOpen, 0).octets).toEqual(utf8(longest))
    expect(ids.choose(utf8(longest), () => true, 0).octets).toHaveLength(255)
    expect(new TextDecoder().decode(ids.choose(utf8(`"${'x'.repeat(237)}"`), nothingOpen, 0).octets)).toBe(
      '#0000000000000002',
    )
  })

  it('with a counter are never the token of another request', () => {
    const token = fc.oneof(spelledNumber(), spelledString(20))
    fc.assert(
      fc.property(token, (text) => {
        const { octets } = new CorrelationIds().choose(utf8(text), () => true, 0)
        expect(() => JSON.parse(new TextDecoder().decode(octets))).toThrow()
      }),
    )
  })

  it('that were cancelled or timed out are not used again for 10 minutes', () => {
    const ids = new CorrelationIds()
    ids.remember('1', 1000)
    expect(ids.remembers('1', 600_999)).toBe(true)
    expect(ids.choose(utf8('1'), nothingOpen, 600_999).key).toBe('1#0000000000000001')
    expect(ids.remembers('1', 601_000)).toBe(false)
    expect(ids.choose(utf8('1'), nothingOpen, 601_000).key).toBe('1')
  })

  it('that were cancelled are remembered up to the last 1,024', () => {
    const ids = new CorrelationIds()
    for (let count = 0; count <= 1024; count++) ids.remember(String(count), count)
    expect([ids.remembers('0', 1024), ids.remembers('1', 1024), ids.remembers('1024', 1024)]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('remembered again count from the last time', () => {
    const ids = new CorrelationIds()
    ids.remember('1', 0)
    ids.remember('2', 1)
    ids.remember('1', 500_000)
    expect([ids.remembers('1', 700_000), ids.remembers('2', 700_000)]).toEqual([true, false])
  })

  it('are copies: an exchange does not hold the message it came from', () => {
    const token = utf8('77')
    const { octets } = new CorrelationIds().choose(token, nothingOpen, 0)
    token.fill(0)
    expect(octets).toEqual(utf8('77'))
  })
})
