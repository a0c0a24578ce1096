import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import * as npamp from '../../services/npamp/index.ts'
import { KEY_LIMITS } from '../../services/npamp/record/key-limits.ts'
import { initiatorOptions, provider, responderOptions } from './ends.ts'

const { Association, CHANNEL, BRIDGE_FRAME, PROFILE } = npamp
type Association = InstanceType<typeof Association>

/** The provider, counting what is derived under one label of the key schedule. */
function countingLabel(label: string): { counting: npamp.CryptoProvider; count: () => number } {
  let count = 0
  const counting: npamp.CryptoProvider = Object.create(provider)
  counting.aead = (suite, key) => provider.aead(suite, key)
  counting.hkdfExpand = (hash, prk, info, length) => {
    const at = 3
    const named = new TextDecoder().decode(info.subarray(at, at + (info[2] ?? 0)))
    if (named === `n-pamp ${label}`) count += 1
    return provider.hkdfExpand(hash, prk, info, length)
  }
  return { counting, count: () => count }
}

function exchange(ends: readonly [Association, Association], now: number): void {
  for (let moved = true; moved; ) {
    moved = false
    for (const [from, to] of [ends, [ends[1], ends[0]] as const]) {
      for (let event = from.nextEvent(); event !== undefined; event = from.nextEvent());
      for (const piece of from.transmit(now, Number.MAX_SAFE_INTEGER)) {
        moved = true
        to.receive(piece, now)
      }
    }
  }
}

describe('the handshake master', () => {
  it(`${requirement('REC-022')} is derived once by each end, however often keys are renewed afterwards`, () => {
    const { counting, count } = countingLabel('master')
    const { start, hard } = KEY_LIMITS[PROFILE.STANDARD]
    const keyLimits = { start: { ...start, frames: 2 }, hard: { ...hard, frames: 4 } }
    const ends = [
      new Association(initiatorOptions({ keyLimits }, counting), 0),
      new Association(responderOptions({ keyLimits }, counting), 0),
    ] as const
    for (let now = 0; now < 60_000; now += 1_000) {
      exchange(ends, now)
      ends[0].send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.RESPONSE, parts: [] })
    }
    expect(ends[1].counters.keyUpdatesReceived).toBeGreaterThan(20)
    expect(count()).toBe(2)
  })
})

describe('HELLO', () => {
  it(`${requirement('HELLO-023')} is no directory: nothing outsiders can call publishes, queries or remembers one`, () => {
    const exported = Object.keys(npamp).filter((name) => /hello/i.test(name))
    const methods = Object.getOwnPropertyNames(Association.prototype)
    expect(exported).toEqual([])
    expect(methods.filter((name) => /hello|announce|publish|query|lookup/i.test(name))).toEqual([])
    // All that is told of it is told by the live association with that very peer.
    expect(methods).toContain('peer')
  })
})
