import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { provider, relaySettings } from '../../../test/sim/ends.ts'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME, CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { MisuseError } from '../errors.ts'
import { type CborValue, decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { decodeClose } from '../wire/close.ts'
import { decodeHello } from '../wire/hello.ts'
import type { PeerExtensions } from './contract.ts'

const { HELLO, HELLO_DONE } = CONTROL_FRAME
const { CLOSE, PONG, PING } = ALL_CHANNEL_FRAME
const BRIDGE = 0x000d

const EXTENSIONS: PeerExtensions = {
  version: 1,
  maxFrameOctets: 70_000,
  tlvTypes: new Set([0x4355, 0x4356]),
  replica: 'far-0',
  bootId: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
}

function types(peer: RawPeer): number[] {
  return peer.received.map((frame) => frame.type)
}

function hello(entries: readonly (readonly [CborValue, CborValue])[]): Uint8Array {
  return encodeCbor(new Map<CborValue, CborValue>(entries))
}

function closeCode(peer: RawPeer): number | undefined {
  const close = peer.framesOf(CLOSE).at(-1)
  return close && decodeClose(close.payload).code
}

describe('our HELLO', () => {
  it(`${requirement('HELLO-001', 'HELLO-002', 'HELLO-003', 'HELLO-004')} an initiator's first sealed frames are HELLO and HELLO_DONE, at once`, () => {
    const peer = RawPeer.accepting()
    expect(types(peer)).toEqual([HELLO, HELLO_DONE])
    expect(peer.received.map((frame) => [frame.channel, frame.sequence])).toEqual([
      [0, 0n],
      [0, 1n],
    ])
    // RawPeer opened them with the Control keys of the finished handshake.
    expect(peer.association.state).toBe('established')
  })

  it(`${requirement('HELLO-004', 'HELLO-005')} a responder waits for the peer's, then sends one; nobody ever sends a second`, () => {
    const peer = RawPeer.dialling()
    expect(types(peer)).toEqual([])
    peer.hello()
    expect(types(peer)).toEqual([HELLO, HELLO_DONE])
    peer.wait(120_000)
    expect(peer.framesOf(HELLO)).toHaveLength(1)
  })

  it(`${requirement('HELLO-006', 'HELLO-007', 'HELLO-008', 'HELLO-010', 'HELLO-014', 'HELLO-026')} says version, protocol_ids in order, extensions and grease, and nothing else`, () => {
    const peer = RawPeer.accepting({ settings: relaySettings('edge-0', { maxFrameOctets: 100_000 }) })
    const payload = peer.framesOf(HELLO)[0]?.payload ?? new Uint8Array(0)
    const map = decodeCbor(payload) as ReadonlyMap<CborValue, CborValue>
    expect([...map.keys()]).toEqual([0n, 1n, 2n, 3n])
    expect(map.get(0n)).toBe(1n)
    expect(map.get(1n)).toEqual([1n, 2n])
    expect((map.get(3n) as unknown[]).length).toBeGreaterThan(0)
    expect([...(map.get(2n) as ReadonlyMap<CborValue, CborValue>).keys()]).toEqual([17239n])
    expect(decodeHello(payload).extensions).toEqual({
      version: 1,
      maxFrameOctets: 100_000,
      tlvTypes: new Set([0x4352, 0x4353, 0x4355, 0x4356]),
      replica: 'edge-0',
      bootId: new Uint8Array(8).fill(7),
    })
  })

  it('announces no extensions when there are none', () => {
    const peer = RawPeer.accepting({ settings: { protocols: [1] } })
    expect(decodeHello(peer.framesOf(HELLO)[0]?.payload ?? new Uint8Array(0)).extensions).toBeUndefined()
  })
})

describe("the peer's HELLO", () => {
  it(`${requirement('HELLO-015')} makes the association ready, with the usable protocols in the initiator's order`, () => {
    const responder = RawPeer.dialling().hello([9, 2, 1, 2], { extensions: EXTENSIONS })
    expect(responder.events.at(-1)).toEqual({
      type: 'ready',
      peer: { announced: true, protocols: [2, 1], extensions: EXTENSIONS },
    })
    expect(responder.association.state).toBe('ready')
    const initiator = RawPeer.accepting().hello([9, 2, 1])
    expect(initiator.association.peer?.protocols).toEqual([1, 2])
  })

  it(`${requirement('HELLO-018')} with nothing in common leaves an association that carries nothing`, () => {
    const peer = RawPeer.dialling().hello([7, 8])
    expect(peer.association.state).toBe('ready')
    expect(peer.association.peer?.protocols).toEqual([])
  })

  it(`${requirement('HELLO-009', 'HELLO-011', 'HELLO-012', 'HELLO-026', 'OWN-016')} unknown keys, params and grease are ignored; entries are protocol_ids only`, () => {
    const body = hello([
      [0n, 1n],
      [1n, [1n, 2n, 0x4a4an]],
      [2n, new Map([[5n, 'x']])],
      [3n, [1n, 2n, 0x7a7an]],
      [9n, 'whatever'],
    ])
    const peer = RawPeer.dialling({ settings: relaySettings('r', { protocols: [2] }) }).send({ type: HELLO, body })
    expect(peer.association.peer?.protocols).toEqual([2])
    expect(peer.dropped('extensions_missing')).toBe(1)
  })

  it.each([
    [
      'an unknown negative key',
      requirement('HELLO-013'),
      hello([
        [0n, 1n],
        [1n, [1n]],
        [-1n, 0n],
      ]),
    ],
    ['no map', requirement('HELLO-006'), encodeCbor([1n])],
    ['indefinite length', requirement('HELLO-006'), Uint8Array.of(0xbf, 0x00, 0x01, 0x01, 0x80, 0xff)],
    ['no version', requirement('HELLO-007'), hello([[1n, [1n]]])],
    ['no protocols', requirement('HELLO-008'), hello([[0n, 1n]])],
    [
      'version 0',
      requirement('HELLO-020'),
      hello([
        [0n, 0n],
        [1n, [1n]],
      ]),
    ],
  ])('with %s closes the association %s', (_what, _ids, body) => {
    const peer = RawPeer.dialling().send({ type: HELLO, body })
    expect(closeCode(peer)).toBe(2)
    expect(peer.association.state).toBe('closed')
    expect(peer.association.peer).toBeUndefined()
  })

  it(`${requirement('HELLO-025', 'HELLO-005')} a second one closes with code 2, before or after HELLO_DONE`, () => {
    const body = hello([
      [0n, 1n],
      [1n, [1n]],
    ])
    for (const between of [[], [{ type: HELLO_DONE }]]) {
      const peer = RawPeer.dialling().send({ type: HELLO, body })
      for (const frame of between) peer.send(frame)
      peer.send({ type: HELLO, body })
      expect(peer.fault).toBe('SECOND_HELLO')
      expect(closeCode(peer)).toBe(2)
    }
  })

  it(`${requirement('HELLO-019', 'HELLO-020')} of a later version is answered by the highest that we have, and version 1 is in force`, () => {
    const peer = RawPeer.dialling().hello([1], { version: 7 })
    expect(decodeHello(peer.framesOf(HELLO)[0]?.payload ?? new Uint8Array(0)).version).toBe(1)
    expect(peer.association.state).toBe('ready')
  })

  it(`${requirement('HELLO-024')} is forgotten when the association ends`, () => {
    const peer = RawPeer.dialling().hello()
    expect(peer.association.peer).toBeDefined()
    peer.send({ type: CLOSE })
    expect(peer.association.peer).toBeUndefined()
    expect(peer.association.established?.peerHandle).toMatch(/^bciq/)
  })

  it('HELLO_DONE may carry a map; before HELLO it is a violation, a second one is counted', () => {
    const peer = RawPeer.dialling()
      .hello()
      .send({ type: HELLO_DONE, body: encodeCbor(new Map()) })
    expect(peer.dropped('hello_done')).toBe(1)
    expect(RawPeer.dialling().send({ type: HELLO_DONE }).fault).toBe('UNEXPECTED_FRAME')
    expect(
      RawPeer.dialling()
        .hello()
        .send({ type: HELLO_DONE, body: Uint8Array.of(0x80) }).fault,
    ).toBe('HELLO')
  })
})

describe('waiting for HELLO', () => {
  it.each(['accepting', 'dialling'] as const)(
    `${requirement('OWN-015')} ends after 5 s with CLOSE 2 (peer %s)`,
    (how) => {
      const peer = RawPeer[how]().wait(4_999)
      expect(peer.association.state).toBe('established')
      peer.wait(1)
      expect(peer.fault).toBe('NO_HELLO')
      expect(closeCode(peer)).toBe(2)
    },
  )

  it(`${requirement('OWN-015')} is over when it came`, () => {
    expect(RawPeer.dialling().wait(4_999).hello().wait(10_000).association.state).toBe('ready')
  })

  it('nothing may be asked meanwhile, but a request that comes too early can be answered', () => {
    const peer = RawPeer.dialling().send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST, body: Uint8Array.of(1) })
    expect(peer.events.at(-1)).toMatchObject({ type: 'frame', frameType: BRIDGE_FRAME.REQUEST, ordinal: 1 })
    for (const type of [BRIDGE_FRAME.REQUEST, BRIDGE_FRAME.NOTIFY]) {
      expect(() => peer.association.send({ channel: BRIDGE, type, parts: [] })).toThrow(MisuseError)
    }
    peer.association.send({ channel: BRIDGE, type: BRIDGE_FRAME.ERROR, parts: [] })
    expect(types(peer.collect())).toEqual([BRIDGE_FRAME.ERROR])
  })

  it(`${requirement('HELLO-004')} a PING meanwhile is answered, and HELLO still is the first application frame`, () => {
    const peer = RawPeer.dialling().send({ type: PING }).hello()
    expect(types(peer)).toEqual([PONG, HELLO, HELLO_DONE])
  })
})

describe('assumed protocols', () => {
  const settings = { protocols: [1, 2], assumedProtocols: [2, 9] }

  it(`${requirement('HELLO-004', 'OWN-015')} such a peer is sent no HELLO and not waited for`, () => {
    for (const peer of [RawPeer.accepting({ settings }), RawPeer.dialling({ settings })]) {
      expect(types(peer)).toEqual([])
      expect(peer.events.at(-1)).toEqual({
        type: 'ready',
        peer: { announced: false, protocols: [2], extensions: undefined },
      })
      peer.wait(20_000)
      expect(peer.association.state).toBe('ready')
      expect(peer.framesOf(HELLO)).toHaveLength(0)
    }
  })

  it(`${requirement('OWN-015')} a HELLO that comes anyway is answered and replaces the assumption`, () => {
    for (const peer of [RawPeer.accepting({ settings }), RawPeer.dialling({ settings })]) {
      peer.hello([1], { extensions: EXTENSIONS })
      expect(types(peer)).toEqual([HELLO, HELLO_DONE])
      expect(peer.events.at(-1)).toMatchObject({ type: 'ready', peer: { announced: true, protocols: [1] } })
      expect(peer.association.peerMaxFrameOctets).toBe(70_000)
    }
  })
})

describe('settings chosen for the peer', () => {
  it('are asked for once, with who it is', () => {
    const asked: string[] = []
    const peer = RawPeer.dialling({
      settings: (info) => {
        asked.push(info.peerHandle)
        return { protocols: [2] }
      },
    }).hello()
    expect(asked).toEqual([peer.association.established?.peerHandle])
    expect(peer.association.peer?.protocols).toEqual([2])
  })

  it('that are no settings end the association as a defect of ours', () => {
    const peer = RawPeer.dialling({ settings: () => ({ protocols: [1], maxFrameOctets: 5 }) })
    expect(peer.fault).toBe('ARGUMENT')
    const thrower = RawPeer.dialling({
      settings: () => {
        throw new TypeError('a defect')
      },
    })
    expect(thrower.fault).toBe('INTERNAL')
    expect(thrower.closed?.by === 'error' && thrower.closed.error.cause).toBeInstanceOf(TypeError)
  })
})

describe('the commitment to a protocol list', () => {
  const digest = provider.hash('sha256', encodeCbor([2n, 1n]))
  const settings = relaySettings('r', { expectedProtocolsDigest: digest })

  it(`${requirement('HELLO-022')} is checked against the list as sent; another list aborts`, () => {
    expect(RawPeer.dialling({ settings }).hello([2, 1]).association.state).toBe('ready')
    const downgraded = RawPeer.dialling({ settings }).hello([1])
    expect(downgraded.fault).toBe('PROTOCOLS_DIGEST')
    expect(closeCode(downgraded)).toBe(2)
  })
})

describe('the extension map', () => {
  it(`${requirement('OWN-016')} that is malformed counts as none; the association goes on`, () => {
    const body = hello([
      [0n, 1n],
      [1n, [1n]],
      [2n, new Map([[17239n, new Map([[0n, 1n]])]])],
    ])
    const peer = RawPeer.dialling().send({ type: HELLO, body })
    expect(peer.association.state).toBe('ready')
    expect(peer.association.peer?.extensions).toBeUndefined()
    expect(peer.dropped('extensions_malformed')).toBe(1)
  })

  it(`${requirement('OWN-017')} limits what is sent; without it the configured limit does`, () => {
    const frame = (octets: number) => ({
      channel: BRIDGE,
      type: BRIDGE_FRAME.RESPONSE,
      parts: [new Uint8Array(octets)],
    })
    const announced = RawPeer.dialling().hello([1], { extensions: EXTENSIONS })
    expect(announced.association.peerMaxFrameOctets).toBe(70_000)
    announced.association.send(frame(70_000 - 52))
    expect(() => announced.association.send(frame(70_000 - 51))).toThrow(
      expect.objectContaining({ code: 'PEER_FRAME_LIMIT' }),
    )
    const settings = relaySettings('r', { peerMaxFrameOctets: 80_000 })
    expect(RawPeer.dialling({ settings }).hello().association.peerMaxFrameOctets).toBe(80_000)
    expect(RawPeer.dialling().hello().association.peerMaxFrameOctets).toBe(16_777_216)
  })

  it('what is kept of it does not keep the HELLO it came in', () => {
    const peer = RawPeer.dialling().hello([1], { extensions: EXTENSIONS })
    expect(peer.association.peer?.extensions?.bootId.buffer.byteLength).toBe(8)
  })
})
