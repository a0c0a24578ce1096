import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { relaySettings } from '../../../test/sim/ends.ts'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME, CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { encodeCbor } from '../wire/cbor.ts'
import { decodeError } from '../wire/error.ts'
import { decodeLink, encodeLink } from '../wire/link.ts'
import type { LinkMessage } from './contract.ts'

const { LINK } = CONTROL_FRAME
const extensions = {
  version: 1,
  maxFrameOctets: 100_000,
  tlvTypes: new Set<number>(),
  replica: 'far',
  bootId: new Uint8Array(8),
}
const session = new Uint8Array(16).fill(3)
const messages: LinkMessage[] = [
  { op: 'sessionEnd', session, reason: 1 },
  { op: 'drain' },
  { op: 'successor', statement: Uint8Array.of(1, 2) },
]

describe('LINK', () => {
  it(`${requirement('OWN-018')} travels both ways when both announced the extensions`, () => {
    const peer = RawPeer.dialling().hello([1], { extensions })
    for (const message of messages) {
      peer.send({ type: LINK, body: encodeLink(message) })
      expect(peer.events.at(-1)).toEqual({ type: 'link', message })
      expect(peer.association.sendLink(message, 0)).toBe(true)
    }
    expect(
      peer
        .collect()
        .framesOf(LINK)
        .map((frame) => decodeLink(frame.payload)),
    ).toEqual(messages)
  })

  it(`${requirement('OWN-018')} leaves behind the Bridge frames that were queued before it`, () => {
    const peer = RawPeer.dialling().hello([1], { extensions })
    peer.association.send({ channel: 0x000d, type: BRIDGE_FRAME.RESPONSE, parts: [] })
    peer.association.sendLink({ op: 'drain' }, 0)
    peer.association.send({ channel: 0x000d, type: BRIDGE_FRAME.ERROR, parts: [] })
    const types = peer.collect().received.map((frame) => frame.type)
    expect(types.slice(-3)).toEqual([BRIDGE_FRAME.RESPONSE, LINK, BRIDGE_FRAME.ERROR])
  })

  it.each([
    ['the peer', () => RawPeer.dialling().hello()],
    ['we', () => RawPeer.dialling({ settings: { protocols: [1] } }).hello([1], { extensions })],
    ['nobody yet', () => RawPeer.dialling({ settings: relaySettings('r') })],
  ])(`${requirement('OWN-018')} is an unknown frame and not sent when %s did not announce them`, (_who, make) => {
    const peer = make()
    expect(peer.association.sendLink({ op: 'drain' }, 0)).toBe(false)
    peer.send({ type: LINK, body: encodeLink({ op: 'drain' }) })
    expect(peer.dropped('unknown_type')).toBe(1)
    expect(peer.events.some((event) => event.type === 'link')).toBe(false)
  })

  it('with an unknown op is ignored and counted', () => {
    const peer = RawPeer.dialling().hello([1], { extensions })
    peer.send({ type: LINK, body: encodeCbor(new Map([[0n, 9n]])) })
    expect(peer.dropped('link_op')).toBe(1)
    expect(peer.association.state).toBe('ready')
  })

  it.each([
    ['no CBOR', Uint8Array.of(0xff)],
    ['an op without its fields', encodeCbor(new Map([[0n, 1n]]))],
  ])('that is malformed (%s) is answered by ERROR 1 and CLOSE 2', (_what, body) => {
    const peer = RawPeer.dialling().hello([1], { extensions }).send({ type: LINK, body })
    const error = peer.framesOf(ALL_CHANNEL_FRAME.ERROR)[0]
    expect(error && decodeError(error.payload)).toMatchObject({ code: ERROR_CODE.PROTOCOL_VIOLATION, refType: LINK })
    expect(peer.received.at(-1)?.type).toBe(ALL_CHANNEL_FRAME.CLOSE)
    expect(peer.fault).toBe('LINK')
  })
})
