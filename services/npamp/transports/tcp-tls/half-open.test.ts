import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { DEFAULT_HALF_OPEN_LIMITS, HalfOpenCounter, sourceOf } from './half-open.ts'

describe('HalfOpenCounter', () => {
  it(`${requirement('OWN-023')} admits 16 of one source and 256 in all by default`, () => {
    const counter = new HalfOpenCounter(DEFAULT_HALF_OPEN_LIMITS)
    const admit = (source: number) => counter.admit(`10.0.0.${source}`) !== undefined
    for (let count = 0; count < 16; count++) expect(admit(1)).toBe(true)
    expect(admit(1)).toBe(false)
    for (let source = 2; source <= 16; source++)
      for (let count = 0; count < 16; count++) expect(admit(source)).toBe(true)
    expect(counter.total).toBe(256)
    expect(admit(17)).toBe(false)
  })

  it(`${requirement('OWN-023')} gives a place back once, however often it is released`, () => {
    const counter = new HalfOpenCounter({ maxHalfOpen: 2, maxHalfOpenPerSource: 1 })
    const release = counter.admit('10.0.0.1')
    expect(counter.admit('10.0.0.1')).toBeUndefined()
    counter.admit('10.0.0.2')
    release?.()
    release?.()
    expect(counter.total).toBe(1)
    expect(counter.admit('10.0.0.1')).toBeDefined()
    expect(counter.admit('10.0.0.3')).toBeUndefined()
  })
})

describe('a source', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
  ])(`${requirement('OWN-023')} of %s is %s`, (address, source) => {
    expect(sourceOf(address)).toBe(source)
  })
})
