import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { WatchingProvider } from '../../../test/fixtures/npamp/watching-provider.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { concatOctets } from '../wire/octets.ts'
import { DirectionRoot } from './direction-root.ts'
import { hkdfExpandLabel } from './expand-label.ts'
import { MasterSecret } from './schedule.ts'
import { DIRECTION, TrafficKeys } from './traffic.ts'

const MASTER = Uint8Array.from({ length: 32 }, (_, index) => 0x31 + index)
const AAD = new Uint8Array(21)
const TH = new Uint8Array(32).fill(0xee)
const kemSecret = () => new Uint8Array(64).fill(0x0f)

function rootOf(provider: CryptoProvider, octets = MASTER): DirectionRoot {
  return new DirectionRoot(provider, 'sha256', DIRECTION.CLIENT_TO_SERVER, new Uint8Array(octets))
}

/** What these keys make of nothing at sequence 0: equal for equal keys. */
function fingerprint(keys: TrafficKeys): string {
  return hex(concatOctets(keys.seal(0n, AAD, [])))
}

describe.each(PROVIDERS)('direction roots on $name', (provider) => {
  it(`${requirement('REC-023')} start as master at generation 0, with the keys of the plain schedule`, () => {
    const master = new MasterSecret(provider, 'sha256', new Uint8Array(MASTER))
    for (const direction of Object.values(DIRECTION)) {
      const root = master.directionRoot(direction)
      const plain = new TrafficKeys(provider, 'sha256', MASTER, { direction, epoch: 3n, suite: 1, channel: 13 })
      expect(root.generation).toBe(0n)
      expect(hex(root.octets)).toBe(hex(MASTER))
      expect(fingerprint(root.trafficKeys(3n, 1, 13))).toBe(fingerprint(plain))
    }
  })

  it('are copies: wiping one leaves the other and master', () => {
    const master = new MasterSecret(provider, 'sha256', new Uint8Array(MASTER))
    const mine = master.directionRoot(DIRECTION.CLIENT_TO_SERVER)
    const yours = master.directionRoot(DIRECTION.SERVER_TO_CLIENT)
    mine.wipe()
    expect(hex(yours.octets)).toBe(hex(MASTER))
    expect(hex(master.octets)).toBe(hex(MASTER))
  })

  it(`${requirement('REC-024')} step by the u64 of the NEW generation`, () => {
    let root = rootOf(provider)
    let expected = MASTER
    for (const generation of [1n, 2n, 3n]) {
      const context = new Uint8Array(8)
      context[7] = Number(generation)
      expected = new Uint8Array(hkdfExpandLabel(provider, 'sha256', expected, 'master ratchet', context, 32))
      root = root.ratchet()
      expect(root.generation).toBe(generation)
      expect(hex(root.octets)).toBe(hex(expected))
    }
  })

  it(`${requirement('REC-026')} re-key with the OLD root as salt and the fresh secret as input`, () => {
    const extracted = provider.hkdfExtract('sha256', MASTER, kemSecret())
    const expected = hkdfExpandLabel(provider, 'sha256', extracted, 'master ratchet rekem', TH, 32)
    const next = rootOf(provider).rekem(kemSecret(), TH)
    expect(hex(next.octets)).toBe(hex(expected))
    expect(next.generation).toBe(1n)
    const swapped = provider.hkdfExtract('sha256', kemSecret(), MASTER)
    const wrong = hkdfExpandLabel(provider, 'sha256', swapped, 'master ratchet rekem', TH, 32)
    expect(hex(next.octets)).not.toBe(hex(wrong))
  })

  it(`${requirement('REC-025')} wipe the retired root after Tier 1 and refuse it from then on`, () => {
    const old = rootOf(provider)
    const view = old.octets
    old.ratchet()
    expect(old.wiped).toBe(true)
    expect(view.every((octet) => octet === 0)).toBe(true)
    expect(failure(() => old.ratchet())).toBe('closed/WIPED')
    expect(failure(() => old.trafficKeys(0n, 1, 0))).toBe('closed/WIPED')
  })

  it(`${requirement('REC-027')} wipe old root, intermediate secret and KEM secret after Tier 2`, () => {
    const watching = new WatchingProvider(provider)
    const old = rootOf(watching)
    const view = old.octets
    const secret = kemSecret()
    const next = old.rekem(secret, TH)
    expect(view.every((octet) => octet === 0)).toBe(true)
    expect(secret.every((octet) => octet === 0)).toBe(true)
    expect(watching.unwiped().map(hex)).toEqual([hex(next.octets)])
    expect(failure(() => old.rekem(kemSecret(), TH))).toBe('closed/WIPED')
  })

  it(`${requirement('REC-028', 'REC-035')} act on leaf keys through the root only: epoch 0 again, no generation in the context`, () => {
    const next = rootOf(provider).ratchet()
    const plain = new TrafficKeys(provider, 'sha256', next.octets, {
      direction: DIRECTION.CLIENT_TO_SERVER,
      epoch: 0n,
      suite: 1,
      channel: 13,
    })
    expect(fingerprint(next.trafficKeys(0n, 1, 13))).toBe(fingerprint(plain))
    expect(fingerprint(next.trafficKeys(0n, 1, 13))).not.toBe(fingerprint(rootOf(provider).trafficKeys(0n, 1, 13)))
  })

  it(`${requirement('REC-029')} report post-compromise security only for a Tier 2 step`, () => {
    const ratcheted = rootOf(provider).ratchet().ratchet()
    expect(ratcheted.healedGeneration).toBeUndefined()
    const healed = ratcheted.rekem(kemSecret(), TH)
    expect(healed.healedGeneration).toBe(3n)
    expect(healed.ratchet().healedGeneration).toBe(3n)
  })

  it('depend on the fresh secret and on the transcript of both frames', () => {
    const one = hex(rootOf(provider).rekem(kemSecret(), TH).octets)
    expect(hex(rootOf(provider).rekem(new Uint8Array(64), TH).octets)).not.toBe(one)
    expect(hex(rootOf(provider).rekem(kemSecret(), new Uint8Array(32)).octets)).not.toBe(one)
  })

  it('refuse a KEM secret or a root of another length', () => {
    const root = rootOf(provider)
    expect(failure(() => root.rekem(new Uint8Array(63), TH))).toBe('misuse/ARGUMENT')
    expect(root.wiped).toBe(false)
    expect(failure(() => rootOf(provider, new Uint8Array(31)))).toBe('misuse/ARGUMENT')
  })
})
