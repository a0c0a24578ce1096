import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { relaySettings } from '../../../test/sim/ends.ts'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { CLOSE_CODE } from '../codepoints/close-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { decodeClose } from '../wire/close.ts'

const SEALED_FRAME_OCTETS = 36 + 16

/** A sealed frame of so many octets on Bridge. */
function frameOf(octets: number) {
  return { channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.RESPONSE, body: new Uint8Array(octets - SEALED_FRAME_OCTETS) }
}

describe('a frame after Established', () => {
  it.each([
    ['16 MiB', undefined, 16 * 1024 * 1024],
    ['what is configured', 70_000, 70_000],
  ])(`${requirement('OWN-001')} may have %s and not one octet more`, (_what, maxFrameOctets, cap) => {
    const settings = relaySettings('r', maxFrameOctets === undefined ? {} : { maxFrameOctets })
    const peer = RawPeer.dialling({ settings }).hello().send(frameOf(cap))
    expect(peer.events.at(-1)).toMatchObject({ type: 'frame', frameType: BRIDGE_FRAME.RESPONSE })
    // The header alone is enough to refuse it.
    peer.association.receive(peer.seal(frameOf(cap + 1)).subarray(0, 36), 0)
    expect(peer.collect().fault).toBe('FRAME_TOO_LARGE')
    const close = peer.framesOf(ALL_CHANNEL_FRAME.CLOSE)[0]
    expect(close && decodeClose(close.payload).code).toBe(CLOSE_CODE.PROTOCOL_ERROR)
  })
})

describe('a frame that is not whole', () => {
  it(`${requirement('OWN-021', 'OWN-020')} is given up after 10 s, but not while reading is paused`, () => {
    const peer = RawPeer.dialling().hello()
    const half = peer.seal(frameOf(10_000)).subarray(0, 5_000)
    peer.association.receive(half, 0)
    peer.association.setReadingPaused(true, 0)
    peer.wait(60_000)
    expect(peer.association.state).toBe('ready')
    peer.association.setReadingPaused(false, peer.now)
    peer.wait(9_999)
    expect(peer.association.state).toBe('ready')
    peer.wait(1)
    expect(peer.fault).toBe('STALLED')
  })
})
