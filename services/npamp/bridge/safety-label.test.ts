import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { EFFECT, type Effect } from './contract.ts'
import { decodeSafetyLabel, effectiveEffect, encodeSafetyLabel } from './safety-label.ts'

describe('SafetyLabel', () => {
  it.each([
    [EFFECT.READ_ONLY, '', '0000'],
    [EFFECT.IDEMPOTENT_WRITE, 'a', '010161'],
    [EFFECT.NON_IDEMPOTENT_WRITE, 'fs:/tmp', '020766733a2f746d70'],
    [EFFECT.DESTRUCTIVE, 'é', '0302c3a9'],
  ])(`${requirement('BRG-024')} effect %d with scope %j is %s`, (effect, scope, value) => {
    expect(hex(encodeSafetyLabel({ effect, scope }))).toBe(value)
    expect(decodeSafetyLabel(octets(value))).toEqual({ effect, scope })
  })

  it(`${requirement('BRG-024')} refuses what is cut, too long or not UTF-8`, () => {
    for (const value of ['', '00', '000161ff', '0002 61', '0001ff'])
      expect(failure(() => decodeSafetyLabel(octets(value)))).toBe('malformed/SAFETY_LABEL')
  })

  it('sends no effect that is not defined and no scope over 255 octets', () => {
    expect(failure(() => encodeSafetyLabel({ effect: 4, scope: '' }))).toBe('misuse/ARGUMENT')
    expect(failure(() => encodeSafetyLabel({ effect: 0, scope: 'é'.repeat(128) }))).toBe('misuse/ARGUMENT')
  })

  it('decodes what was encoded', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.string({ unit: 'binary', maxLength: 63 }), (effect, scope) => {
        expect(decodeSafetyLabel(encodeSafetyLabel({ effect, scope }))).toEqual({ effect, scope })
      }),
    )
  })
})

describe('effectiveEffect', () => {
  const tableEffects = Object.values(EFFECT) as Effect[]

  it(`${requirement('BRG-023', 'RPC-028')} of a missing label is destructive unless the table says read_only`, () => {
    expect(tableEffects.map((effect) => effectiveEffect(undefined, effect))).toEqual([0, 3, 3, 3])
  })

  it(`${requirement('BRG-025')} of a label is what the sender declared, for a policy to judge`, () => {
    for (const declared of tableEffects)
      for (const table of tableEffects) expect(effectiveEffect({ effect: declared, scope: '' }, table)).toBe(declared)
  })

  it('of an effect that nobody knows is destructive', () => {
    for (const effect of [4, 0x7f, 0xff]) expect(effectiveEffect({ effect, scope: '' }, EFFECT.READ_ONLY)).toBe(3)
  })
})
