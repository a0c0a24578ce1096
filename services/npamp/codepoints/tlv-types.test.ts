import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { isAnnounceableTlv, isCompanionReservedTlv, isCriticalTlv, isKnownTlv, TLV } from './tlv-types.ts'

describe('TLV types', () => {
  it(`${requirement('WIRE-041')} 0x0010, 0x0013 and 0x0014 are companion reservations, nothing else is`, () => {
    expect(Object.values(TLV).filter(isCompanionReservedTlv)).toEqual([0x0010, 0x0013, 0x0014])
    expect([TLV.BRIDGE_ENVELOPE, TLV.SAFETY_LABEL]).toEqual([0x0010, 0x0013])
  })

  it('of the extensions are 0x0011 and 0x4351 to 0x4359', () => {
    const announceable = Array.from({ length: 0x10000 }, (_, type) => type).filter(isAnnounceableTlv)
    expect(announceable).toEqual([0x0011, 0x4351, 0x4352, 0x4353, 0x4354, 0x4355, 0x4356, 0x4357, 0x4358, 0x4359])
  })

  it('are critical with bit 0x8000, and no known one is', () => {
    expect([0x0001, 0x7fff, 0x8000, 0xffff].map(isCriticalTlv)).toEqual([false, false, true, true])
    expect(Object.values(TLV).some(isCriticalTlv)).toBe(false)
    expect([0x0001, 0x000e, 0x8001].map(isKnownTlv)).toEqual([true, false, false])
  })

  it('are unique', () => {
    expect(new Set(Object.values(TLV)).size).toBe(Object.values(TLV).length)
  })
})
