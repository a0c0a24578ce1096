import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDER_PAIRS, PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { WatchingProvider } from '../../../test/fixtures/npamp/watching-provider.ts'
import { AEAD } from '../codepoints/suites.ts'
import { concatOctets } from '../wire/octets.ts'
import { deriveTrafficMaterial, type TrafficContext, TrafficKeys, trafficContextOctets } from './traffic.ts'

const PARENT = new Uint8Array(32).fill(0x42)
const AAD = new Uint8Array(21).fill(1)
const CONTEXT: TrafficContext = { direction: 0, epoch: 0n, suite: AEAD.AES_256_GCM, channel: 0x000d }

const anyContext = fc.record<TrafficContext>({
  direction: fc.constantFrom(0, 1),
  epoch: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
  suite: fc.constantFrom(...Object.values(AEAD)),
  channel: fc.nat(0xfffe),
})

describe('trafficContextOctets', () => {
  it(`${requirement('REC-002')} is direction, epoch, suite and channel in 13 octets`, () => {
    const octets = trafficContextOctets({ direction: 1, epoch: 0x0102030405060708n, suite: 2, channel: 0x0a0b })
    expect(hex(octets)).toBe('01' + '0102030405060708' + '0002' + '0a0b')
  })

  it(`${requirement('REC-001', 'REC-019')} differs whenever any part differs`, () => {
    fc.assert(
      fc.property(anyContext, anyContext, (a, b) => {
        const same =
          a.direction === b.direction && a.epoch === b.epoch && a.suite === b.suite && a.channel === b.channel
        expect(hex(trafficContextOctets(a)) === hex(trafficContextOctets(b))).toBe(same)
      }),
    )
  })
})

describe.each(PROVIDERS)('traffic keys on $name', (provider) => {
  it(`${requirement('REC-001', 'REC-019')} differ by direction, epoch, suite and channel`, () => {
    const contexts: TrafficContext[] = [
      CONTEXT,
      { ...CONTEXT, direction: 1 },
      { ...CONTEXT, epoch: 1n },
      { ...CONTEXT, suite: AEAD.CHACHA20_POLY1305 },
      { ...CONTEXT, channel: 0x0000 },
    ]
    const materials = contexts.map((context) => deriveTrafficMaterial(provider, 'sha256', PARENT, context))
    expect(new Set(materials.map(({ key }) => hex(key))).size).toBe(contexts.length)
    expect(new Set(materials.map(({ iv }) => hex(iv))).size).toBe(contexts.length)
  })

  it(`${requirement('REC-003')} are a 32-octet key and a 12-octet IV, whatever the hash`, () => {
    for (const hash of ['sha256', 'sha384'] as const) {
      const material = deriveTrafficMaterial(provider, hash, PARENT, CONTEXT)
      expect([material.key.length, material.iv.length]).toEqual([32, 12])
    }
  })

  it(`${requirement('REC-004', 'REC-010')} seal each sequence number under its own nonce`, () => {
    const { key, iv } = deriveTrafficMaterial(provider, 'sha256', PARENT, CONTEXT)
    const keys = new TrafficKeys(provider, 'sha256', PARENT, CONTEXT)
    const first = concatOctets(keys.seal(0n, AAD, [AAD]))
    const second = concatOctets(keys.seal(1n, AAD, [AAD]))
    expect(hex(first)).toBe(hex(concatOctets(provider.aead(1, key).seal(iv, AAD, [AAD]))))
    iv[11] = (iv[11] as number) ^ 1
    expect(hex(second)).toBe(hex(concatOctets(provider.aead(1, key).seal(iv, AAD, [AAD]))))
    expect(keys.open(1n, AAD, [first])).toBeUndefined()
    expect(hex(keys.open(0n, AAD, [first]) ?? new Uint8Array(0))).toBe(hex(AAD))
  })

  it('leave no octets unwiped, and refuse use after wipe', () => {
    const watching = new WatchingProvider(provider)
    const keys = new TrafficKeys(watching, 'sha256', PARENT, CONTEXT)
    expect(watching.unwiped()).toEqual([])
    const sealed = concatOctets(keys.seal(0n, AAD, []))
    keys.wipe()
    keys.wipe()
    expect(watching.unwiped()).toEqual([])
    expect(watching.liveAeadKeys).toBe(0)
    expect(failure(() => keys.seal(0n, AAD, []))).toBe('closed/WIPED')
    expect(failure(() => keys.open(0n, AAD, [sealed]))).toBe('closed/WIPED')
  })
})

describe.each(PROVIDER_PAIRS)('$name', ({ one, other }) => {
  it('seal and open under any context and sequence number', () => {
    const sequence = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn })
    fc.assert(
      fc.property(anyContext, sequence, fc.uint8Array({ maxLength: 100 }), (context, number, plaintext) => {
        const sealed = new TrafficKeys(one, 'sha384', PARENT, context).seal(number, AAD, [plaintext])
        const opened = new TrafficKeys(other, 'sha384', PARENT, context).open(number, AAD, sealed)
        expect(opened === undefined ? 'did not open' : hex(opened)).toBe(hex(plaintext))
      }),
      { numRuns: 40 },
    )
  })
})
