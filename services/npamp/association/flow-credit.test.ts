import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { FlowCredit } from './flow-credit.ts'

describe('credit', () => {
  it(`${requirement('OWN-010')} is unlimited until the first grant, then exact, counted from the beginning`, () => {
    const credit = new FlowCredit()
    expect(credit.allows(2 ** 40)).toBe(true)
    credit.spend(100)
    credit.grant(150n)
    expect([50, 51].map((octets) => credit.allows(octets))).toEqual([true, false])
    credit.spend(50)
    expect([0, 1].map((octets) => credit.allows(octets))).toEqual([true, false])
  })

  it(`${requirement('OWN-010')} only ever grows: smaller and equal grants change nothing`, () => {
    const credit = new FlowCredit()
    for (const grant of [150n, 149n, 150n, 0n]) credit.grant(grant)
    expect([150, 151].map((octets) => credit.allows(octets))).toEqual([true, false])
    credit.grant(2n ** 64n - 1n)
    expect(credit.allows(2 ** 40)).toBe(true)
  })

  it(`${requirement('OWN-010')} may be exceeded already when it is granted: nothing goes out then`, () => {
    const credit = new FlowCredit()
    credit.spend(100)
    credit.grant(10n)
    expect(credit.allows(0)).toBe(false)
  })
})
