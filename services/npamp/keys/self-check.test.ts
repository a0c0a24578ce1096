import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { ALL_CHANNEL_FRAME } from '../codepoints/frame-types.ts'
import type { HashName } from '../codepoints/profiles.ts'
import type { AeadSuite } from '../codepoints/suites.ts'
import { AAD_OCTETS, encodeHeader, FLAG } from '../wire/header.ts'
import { encodeKeyUpdate } from '../wire/key-update.ts'
import { concatOctets } from '../wire/octets.ts'
import { DirectionRoot } from './direction-root.ts'
import { HASH_LENGTH } from './hash-length.ts'
import { deriveNonce } from './nonce.ts'
import { MasterSecret } from './schedule.ts'
import { DIRECTION, type Direction, deriveTrafficMaterial } from './traffic.ts'

/** Digest 03 section 11: numbers of an independent computation on these inputs. */
const counting = (from: number, length: number) => Uint8Array.from({ length }, (_, index) => from + index)
const master = (hash: HashName) => counting(0x40, HASH_LENGTH[hash])
const kemSecret = () => counting(0x00, 64)
const thRekem = (hash: HashName) => new Uint8Array(HASH_LENGTH[hash]).fill(0xee)

const KEYS: readonly (readonly [HashName, Direction, bigint, AeadSuite, string, string])[] = [
  ['sha256', 0, 0n, 1, 'fe4d351c43a2cc11c0338772b642cf44b2e64fc552f753895cd8265e6b4bb3fb', 'aae7067b0c89e857ef5d9bc7'],
  ['sha256', 1, 0n, 1, '754d477fa67640c58c20b81b22344a011dd1fe210f3f08002354828aae11beb0', '029ae011857319e8ae0d14e0'],
  ['sha256', 0, 1n, 1, 'ca77e1a650c3b39f3cdeb2e04f827292d881129d2745d6ef04003a3f2ed79379', 'cbf67f41037571be8e1c9677'],
  ['sha256', 0, 0n, 2, 'f6de8ebabc2bcf149afd717ad01a0caad0a4d5ab72071b68b706325af5e8a94f', 'f4ac7a60d65a3d780762f0d6'],
  ['sha384', 0, 0n, 1, '026e19e6ab1f886cc8dd170b9000dc100ffe363fd7afb314dce43e987e047b4c', '841dcb9c92a1efef95a784da'],
  ['sha384', 0, 0n, 2, 'd70a5d40a6c5b126ac0128037a61f06f60a290b73939bcf1e64778d9c75f35be', '1effbcd9c43b77db1384e538'],
]

const TIER_1: Readonly<Record<HashName, string>> = {
  sha256: 'd7b068889c843c4f6580149551bdac4bd8af40c223ab1e1924f4f5f47cfe0a2e',
  sha384: '7fc406a31dc40d3ca5f37e543d86162aa329d4ccd10313d5a54c9e5c2de3c1632a036882d38a2eaa813a628d3aadfcc3',
}

const TIER_2: Readonly<Record<HashName, string>> = {
  sha256: '48340302ffbc55b0b0af3732167c3bf464c2c352cdbb7abff9cf16ff8373f82b',
  sha384: 'f1db3eb1ea85e76463671dcd9f6016a73c71d67315fb6278a2799270ef1df82c13db6f818cce4abcc9516398cc7b67dc',
}

const KEY_UPDATE_FRAME = octets(`
  4e50414d 22 0006 000d 0000000000000005 0000001c 74ab84e6 0000000000000000000000
  a4577cd3d0b33fc4873b0043 7c4570cf428510394023c4853a4e8e43`)

describe.each(PROVIDERS)('the independent numbers on $name', (provider) => {
  it.each(KEYS)(
    `${requirement('REC-001', 'REC-002', 'REC-003', 'HS-017')} %s, direction %d, epoch %d, suite %d, channel 0x000d`,
    (hash, direction, epoch, suite, key, iv) => {
      const context = { direction, epoch, suite, channel: CHANNEL.BRIDGE }
      const material = deriveTrafficMaterial(provider, hash, master(hash), context)
      expect(hex(material.key)).toBe(key)
      expect(hex(material.iv)).toBe(iv)
    },
  )

  it.each(['sha256', 'sha384'] as const)(`${requirement('REC-024')} Tier 1 with %s`, (hash) => {
    const root = new DirectionRoot(provider, hash, DIRECTION.CLIENT_TO_SERVER, master(hash))
    expect(hex(root.ratchet().octets)).toBe(TIER_1[hash])
  })

  it.each(['sha256', 'sha384'] as const)(`${requirement('REC-026')} Tier 2 with %s`, (hash) => {
    const root = new DirectionRoot(provider, hash, DIRECTION.CLIENT_TO_SERVER, master(hash))
    expect(hex(root.rekem(kemSecret(), thRekem(hash)).octets)).toBe(TIER_2[hash])
  })

  it(`${requirement('REC-004', 'REC-014')} the sealed KEY_UPDATE frame`, () => {
    const root = new MasterSecret(provider, 'sha256', master('sha256')).directionRoot(DIRECTION.CLIENT_TO_SERVER)
    const header = encodeHeader({
      flags: FLAG.ENC,
      type: ALL_CHANNEL_FRAME.KEY_UPDATE,
      channel: CHANNEL.BRIDGE,
      sequence: 5n,
      payloadOctets: 28,
    })
    const keys = root.trafficKeys(0n, 1, CHANNEL.BRIDGE)
    const sealed = keys.seal(5n, header.subarray(0, AAD_OCTETS), [encodeKeyUpdate(1n)])
    expect(hex(concatOctets([header, ...sealed]))).toBe(hex(KEY_UPDATE_FRAME))
    expect(hex(deriveNonce(octets('aae7067b0c89e857ef5d9bc7'), 5n))).toBe('aae7067b0c89e857ef5d9bc2')
    const opened = keys.open(5n, KEY_UPDATE_FRAME.subarray(0, AAD_OCTETS), [KEY_UPDATE_FRAME.subarray(36)])
    expect(opened === undefined ? '' : hex(opened)).toBe('001700080000000000000001')
  })
})
