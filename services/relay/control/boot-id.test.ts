import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newBootId } from './boot-id.ts'

const MAX_TIME_MS = 2 ** 48 - 1
const random = fc.uint8Array({ minLength: 10, maxLength: 10 })

it('a boot id is a UUIDv7, and that of a later process is the greater text', () => {
  const times = fc.tuple(fc.nat(MAX_TIME_MS), fc.nat(MAX_TIME_MS))
  fc.assert(
    fc.property(times, random, random, ([one, other], entropy, more) => {
      const [first, second] = [newBootId(one, entropy), newBootId(other, more)]
      expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      if (one !== other) expect(first < second).toBe(one < other)
    }),
  )
})

it('of RFC 9562, appendix A.6', () => {
  const octets = Buffer.from('0cc318c4dc0c0c07398f', 'hex')
  expect(newBootId(0x017f22e279b0, octets)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})
