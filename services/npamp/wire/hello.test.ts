import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PeerExtensions } from '../association/contract.ts'
import { MisuseError, NpampError } from '../errors.ts'
import { type CborValue, decodeCbor, encodeCbor } from './cbor.ts'
import { decodeHello, decodeHelloDone, encodeHello, encodeHelloDone, type Hello } from './hello.ts'
import { answeredVersion, commonVersion, usableProtocols } from './hello-selection.ts'
import { fromHex, toHex } from './hex.test-support.ts'

const EXTENSIONS: PeerExtensions = {
  version: 1,
  maxFrameOctets: 1_048_576,
  tlvTypes: new Set([0x4352, 0x4353, 0x4355, 0x4356]),
  replica: 'edge-0',
  bootId: fromHex('0102030405060708'),
}
const HELLO: Hello = { version: 1, protocols: [1, 2], extensions: undefined }

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NpampError) return error.code
    throw error
  }
  return 'accepted'
}

type Entries = readonly (readonly [CborValue, CborValue])[]
const cbor = (entries: Entries) => encodeCbor(new Map(entries))
const hello = (...more: Entries) => cbor([[0n, 1n], [1n, [1n]], ...more])
const extended = (entries: Entries) => hello([2n, new Map<CborValue, CborValue>([[17239n, new Map(entries)]])])
const WELL_FORMED: Entries = [
  [0n, 1n],
  [1n, 65_536n],
  [2n, [0x0011n, 0x4355n]],
  [3n, 'a.b-c9'],
  [4n, fromHex('0000000000000000')],
]
/** The well-formed extension map with one key changed or, given no value, left out. */
const changed = (key: bigint, ...value: CborValue[]) =>
  extended([...WELL_FORMED.filter(([one]) => one !== key), ...value.map((one) => [key, one] as const)])

describe('HELLO', () => {
  it(`${requirement('HELLO-006', 'HELLO-007', 'HELLO-008', 'HELLO-010')} is one deterministic CBOR map with version, protocols and grease`, () => {
    expect(toHex(encodeHello(HELLO, [0x7a7a]))).toBe('a30001018201020381197a7a')
  })

  it(`${requirement('HELLO-006')} in any other encoding is malformed`, () => {
    for (const bad of ['', '80', 'a2011801000181', 'a3018101000103', 'bf00010181 01ff', 'a20001018101 00', 'a1616100'])
      expect(codeOf(() => decodeHello(fromHex(bad)))).not.toBe('accepted')
  })

  it(`${requirement('HELLO-007', 'HELLO-008')} needs version and protocols, of the right types`, () => {
    const bad: Entries[] = [
      [[0n, 1n]],
      [[1n, [1n]]],
      [
        [0n, 0n],
        [1n, [1n]],
      ],
      [
        [0n, '1'],
        [1n, [1n]],
      ],
      [
        [0n, 1n],
        [1n, 1n],
      ],
      [
        [0n, 1n],
        [1n, [-1n]],
      ],
      [
        [0n, 1n],
        [1n, ['mcp']],
      ],
      [
        [0n, null],
        [1n, []],
      ],
    ]
    for (const entries of bad) expect(codeOf(() => decodeHello(cbor(entries)))).toBe('HELLO')
    expect(codeOf(() => decodeHello(hello([2n, []])))).toBe('HELLO')
    expect(codeOf(() => decodeHello(hello([3n, 'x'])))).toBe('HELLO')
  })

  it(`${requirement('HELLO-011')} gives the same result whatever its grease says`, () => {
    const grease = fc.array(fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }), { maxLength: 5 })
    fc.assert(
      fc.property(grease, (values) => {
        expect(decodeHello(hello([3n, values]))).toEqual(decodeHello(hello()))
      }),
    )
  })

  it(`${requirement('HELLO-009', 'HELLO-012')} passes over unknown non-negative keys, at the top and in params`, () => {
    const odd = [{}, 1n].map((value) =>
      typeof value === 'bigint' ? value : [null, undefined, -1n, new Map([['x', true]])],
    )
    for (const value of odd) {
      expect(decodeHello(hello([9n, value]))).toEqual(decodeHello(hello()))
      expect(decodeHello(hello([2n, new Map([[5n, value]])]))).toEqual(decodeHello(hello()))
    }
  })

  it(`${requirement('HELLO-013')} with a negative key, or one that is no integer, is malformed`, () => {
    for (const key of [-1n, -100n, 'version', fromHex('00')]) {
      expect(codeOf(() => decodeHello(hello([key, 0n])))).toBe('HELLO')
      expect(codeOf(() => decodeHello(hello([2n, new Map([[key, 0n]])])))).toBe('HELLO')
    }
  })

  it(`${requirement('HELLO-014')} carries integers, a replica identifier and a boot id, no other text`, () => {
    const octets = encodeHello({ ...HELLO, extensions: EXTENSIONS }, [7])
    const texts: string[] = []
    const collect = (value: CborValue): void => {
      if (typeof value === 'string') texts.push(value)
      else if (Array.isArray(value)) value.forEach(collect)
      else if (value instanceof Map) for (const [key, entry] of value) [key, entry].forEach(collect)
    }
    collect(decodeCbor(octets))
    expect(texts).toEqual(['edge-0'])
  })

  it(`${requirement('HELLO-026')} offers and takes protocol_ids only: other numbers are nobody's channel`, () => {
    const list = [0n, 1n, 0x100n, 255n, 0xffff_ffff_ffff_ffffn]
    expect(
      decodeHello(
        cbor([
          [0n, 1n],
          [1n, list],
        ]),
      ).protocols,
    ).toEqual([1, 255])
    for (const id of [0, 256, -1, 1.5])
      expect(() => encodeHello({ ...HELLO, protocols: [id] }, [])).toThrow(MisuseError)
  })

  it(`${requirement('HELLO-022')} keeps the octets of the offered list, whose digest may be expected`, () => {
    expect(toHex(decodeHello(fromHex('a3000101821902000 1 0380'.replaceAll(' ', ''))).protocolListOctets)).toBe(
      '8219020001',
    )
  })

  it('decodes to what was encoded', () => {
    const tlvTypes = fc.subarray([0x0011, 0x4351, 0x4352, 0x4353, 0x4354, 0x4355, 0x4356, 0x4357, 0x4358, 0x4359])
    const extensions = fc.record({
      version: fc.constant(1),
      maxFrameOctets: fc.integer({ min: 65_536, max: 36 + 0xffff_ffff }),
      tlvTypes: tlvTypes.map((types) => new Set(types)),
      replica: fc.stringMatching(/^[a-z0-9.-]{1,63}$/),
      bootId: fc.uint8Array({ minLength: 8, maxLength: 8 }),
    })
    const anyHello = fc.record({
      version: fc.integer({ min: 1, max: 9 }),
      protocols: fc.array(fc.integer({ min: 1, max: 255 })),
      extensions: fc.option(extensions, { nil: undefined }),
    })
    fc.assert(
      fc.property(anyHello, fc.array(fc.nat()), (message, grease) => {
        const octets = encodeHello(message, grease)
        expect(decodeHello(octets)).toMatchObject({ ...message, extensionFault: undefined })
        for (let length = 0; length < octets.length; length++)
          expect(codeOf(() => decodeHello(octets.subarray(0, length)))).not.toBe('accepted')
      }),
    )
  })

  it('throws nothing but NpampError for arbitrary octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (octets) => void codeOf(() => decodeHello(octets))))
    expect(codeOf(() => decodeHello(new Uint8Array(70_000)))).toBe('LENGTH')
  })
})

describe('the extension map of HELLO', () => {
  it('is read with all its keys', () => {
    expect(decodeHello(extended(WELL_FORMED)).extensions).toEqual({
      version: 1,
      maxFrameOctets: 65_536,
      tlvTypes: new Set([0x0011, 0x4355]),
      replica: 'a.b-c9',
      bootId: fromHex('0000000000000000'),
    })
  })

  it('may leave out the largest frame; the configured one stands then', () => {
    expect(decodeHello(changed(1n), 70_000).extensions?.maxFrameOctets).toBe(70_000)
    expect(decodeHello(changed(1n)).extensions?.maxFrameOctets).toBe(16 * 1024 * 1024)
    expect(decodeHello(changed(1n, 1n << 40n)).extensions?.maxFrameOctets).toBe(36 + 0xffff_ffff)
  })

  it.each([
    ['no version', changed(0n)],
    ['version 0', changed(0n, 0n)],
    ['a frame below 64 KiB', changed(1n, 65_535n)],
    ['a frame that is no integer', changed(1n, 'big')],
    ['no TLV types', changed(2n)],
    ['TLV types out of order', changed(2n, [0x4355n, 0x4352n])],
    ['a TLV type twice', changed(2n, [0x4355n, 0x4355n])],
    ['a TLV type that is no extension', changed(2n, [0x0013n])],
    ['a TLV type behind the last extension', changed(2n, [0x435an])],
    ['no replica', changed(3n)],
    ['an empty replica', changed(3n, '')],
    ['a replica of 64 octets', changed(3n, 'a'.repeat(64))],
    ['a replica in upper case', changed(3n, 'Edge')],
    ['a replica with a line feed', changed(3n, 'a\n')],
    ['no boot id', changed(4n)],
    ['a boot id of 7 octets', changed(4n, new Uint8Array(7))],
    ['a negative key', changed(-1n, 0n)],
    ['no map at all', hello([2n, new Map<CborValue, CborValue>([[17239n, 5n]])])],
  ])(`${requirement('OWN-016')} counts as absent with %s, and the HELLO stands`, (_, octets) => {
    const received = decodeHello(octets)
    expect(received.protocols).toEqual([1])
    expect(received.extensions).toBeUndefined()
    expect(received.extensionFault?.code).toBe('HELLO')
  })

  it('absent is no fault, and a null there is one', () => {
    expect(decodeHello(hello()).extensionFault).toBeUndefined()
    expect(decodeHello(hello([2n, new Map<CborValue, CborValue>([[17239n, undefined]])])).extensionFault).toBeDefined()
  })

  it('of a later version may know more keys and TLV types', () => {
    const later = extended([
      [0n, 2n],
      [1n, 65_536n],
      [2n, [0x4355n, 0x4400n]],
      [3n, 'x'],
      [4n, new Uint8Array(8)],
      [9n, 1n],
    ])
    expect(decodeHello(later).extensions).toMatchObject({ version: 2, tlvTypes: new Set([0x4355]) })
  })

  it('cannot be sent in a form that a peer would not take', () => {
    const bad: Partial<PeerExtensions>[] = [
      { version: 0 },
      { maxFrameOctets: 65_535 },
      { tlvTypes: new Set([0x0013]) },
      { replica: 'Edge' },
      { bootId: new Uint8Array(7) },
    ]
    for (const one of bad)
      expect(() => encodeHello({ ...HELLO, extensions: { ...EXTENSIONS, ...one } }, [])).toThrow(MisuseError)
  })
})

describe('HELLO_DONE', () => {
  it('is empty, and any CBOR map is accepted', () => {
    expect(encodeHelloDone().length).toBe(0)
    for (const good of ['', 'a0', 'a10000']) expect(codeOf(() => decodeHelloDone(fromHex(good)))).toBe('accepted')
    for (const bad of ['80', 'a0a0', 'a1', 'ff'])
      expect(codeOf(() => decodeHelloDone(fromHex(bad)))).not.toBe('accepted')
  })
})

describe('what two HELLOs agree on', () => {
  it(`${requirement('HELLO-015')} is the intersection in the initiator's order, without duplicates`, () => {
    expect(usableProtocols([4, 2, 1, 2], [1, 2, 3])).toEqual([2, 1])
  })

  it(`${requirement('HELLO-018')} is nothing for disjoint lists`, () => {
    expect(usableProtocols([1], [2])).toEqual([])
    expect(usableProtocols([], [])).toEqual([])
  })

  it(`${requirement('HELLO-019')} echoes a supported version, else the own highest`, () => {
    expect([1, 2, 77].map(answeredVersion)).toEqual([1, 1, 1])
  })

  it(`${requirement('HELLO-020')} is the lower version when both have it, else none`, () => {
    expect(commonVersion(1, 1)).toBe(1)
    expect(commonVersion(1, 9)).toBe(1)
    expect(commonVersion(1, 0)).toBeUndefined()
    expect(commonVersion(3, 2)).toBeUndefined()
  })
})
