import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { Liveness } from './liveness.ts'

/** Octets that are answered at once. */
function hear(peer: Liveness, now: number): void {
  peer.octetsArrived(now)
  peer.octetsLeft()
}

describe('liveness', () => {
  it(`${requirement('OWN-020')} asks after 30 s of silence when idle, 5 s with open exchanges`, () => {
    const peer = new Liveness(0)
    expect(peer.deadline()).toBe(30_000)
    peer.setBusy(true)
    expect(peer.deadline()).toBe(5_000)
    expect(peer.check(4_999)).toBe('alive')
    expect(peer.check(5_000)).toBe('ping')
  })

  it(`${requirement('OWN-020')} any octet counts, and answers a PING`, () => {
    const peer = new Liveness(0)
    hear(peer, 20_000)
    expect(peer.check(30_000)).toBe('alive')
    expect(peer.check(50_000)).toBe('ping')
    hear(peer, 55_000)
    expect(peer.deadline()).toBe(85_000)
  })

  it('whoever goes on hearing for 4 s without a word of its own says one', () => {
    const peer = new Liveness(0)
    expect([1_000, 2_000, 4_999].map((now) => peer.octetsArrived(now))).toEqual([false, false, false])
    expect(peer.deadline()).toBe(34_999)
    expect(peer.octetsArrived(5_000)).toBe(true)
    expect(peer.check(5_499)).toBe('alive')
    expect(peer.check(5_500)).toBe('ping')
  })

  it('an answer in time makes that needless, and a late PONG alone does not ask for it', () => {
    const peer = new Liveness(0)
    peer.octetsArrived(1_000)
    peer.octetsArrived(9_000)
    peer.octetsLeft()
    expect(peer.deadline()).toBe(39_000)
    peer.check(39_000)
    peer.octetsArrived(39_100)
    expect(peer.deadline()).toBe(69_100)
  })

  it(`${requirement('OWN-020')} is dead 10 s after a PING without an octet; a PING that waited counts from when it left`, () => {
    const peer = new Liveness(0)
    peer.check(30_000)
    expect(peer.check(39_999)).toBe('alive')
    peer.pingLeft(33_000)
    expect(peer.check(42_999)).toBe('alive')
    expect(peer.check(43_000)).toBe('dead')
  })

  it(`${requirement('OWN-020')} holds nothing against the peer while we do not read`, () => {
    const peer = new Liveness(0)
    peer.check(30_000)
    peer.setPaused(true, 31_000)
    expect(peer.deadline()).toBe(Number.POSITIVE_INFINITY)
    expect(peer.check(99_000)).toBe('alive')
    peer.setPaused(false, 100_000)
    expect(peer.deadline()).toBe(130_000)
  })
})
