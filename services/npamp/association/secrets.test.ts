import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { WatchingProvider } from '../../../test/fixtures/npamp/watching-provider.ts'
import { initiatorOptions, provider, responderOptions } from '../../../test/sim/ends.ts'
import { BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { ClosedError } from '../errors.ts'
import { KEY_LIMITS } from '../record/key-limits.ts'
import { Association } from './association.ts'

const { start, hard } = KEY_LIMITS[PROFILE.STANDARD]
const response = { channel: 0x000d, type: BRIDGE_FRAME.RESPONSE, parts: [new Uint8Array(10)] }

/** Two ends on watched providers; they renew their keys with every second frame. */
function watchedEnds() {
  const watching = [new WatchingProvider(provider), new WatchingProvider(provider)] as const
  const keyLimits = { start: { ...start, frames: 2 }, hard: { ...hard, frames: 4 } }
  const ends = [
    new Association(initiatorOptions({ keyLimits }, watching[0]), 0),
    new Association(responderOptions({ keyLimits }, watching[1]), 0),
  ] as const
  return { watching, ends }
}

/** Octets move until nobody has any more. Events are not of interest. */
function pump([one, two]: readonly [Association, Association]): void {
  const move = (from: Association, to: Association): boolean => {
    while (from.nextEvent() !== undefined);
    const pieces = from.transmit(0, Infinity)
    for (const piece of pieces) to.receive(piece, 0)
    return pieces.length > 0
  }
  for (let moved = true; moved; ) moved = [move(one, two), move(two, one)].some((some) => some)
}

describe('the secrets of an association', () => {
  it(`${requirement('REC-020')} are down to the roots once it is established: master is not kept beside them`, () => {
    const { watching, ends } = watchedEnds()
    const [initiator, responder] = ends
    for (const [from, to] of [ends, [responder, initiator]] as const) {
      for (const flight of from.transmit(0, Infinity)) to.receive(flight, 0)
    }
    // CLIENT_AUTH alone: HELLO, which follows it, would bring keys of its own.
    const [clientAuth = new Uint8Array(0)] = initiator.transmit(0, Infinity)
    responder.receive(clientAuth, 0)
    expect(responder.state).toBe('established')
    expect(watching[1].unwiped()).toEqual([])
    expect(watching[1].liveAeadKeys).toBe(0)
    expect(watching[1].liveKemKeyPairs).toBe(0)
  })

  it.each([
    ['by CLOSE', (association: Association) => association.close(0, '', 0)],
    ['at once', (association: Association) => association.abort(new ClosedError('CLOSED', 'enough'), 0)],
    ['by the loss of the transport', (association: Association) => association.transportEnded(false, 0)],
  ])(`${requirement('REC-020', 'REC-017')} are gone when it ended %s, after updates of keys`, (_how, end) => {
    const { watching, ends } = watchedEnds()
    pump(ends)
    for (let i = 0; i < 8; i++) for (const association of ends) association.send(response)
    pump(ends)
    expect(ends[0].counters.keyUpdatesReceived).toBeGreaterThan(1)
    // One key in use for each channel and direction: Control and Bridge.
    expect(watching.map((one) => one.liveAeadKeys)).toEqual([4, 4])
    end(ends[0])
    pump(ends)
    if (ends[1].state !== 'closed') ends[1].transportEnded(true, 0)
    expect(ends.map((association) => association.state)).toEqual(['closed', 'closed'])
    expect(watching.map((one) => one.liveAeadKeys)).toEqual([0, 0])
    expect(watching.map((one) => one.unwiped())).toEqual([[], []])
  })
})

describe('a failed handshake', () => {
  it(`${requirement('OWN-012')} takes back what was not sent yet, and says nothing`, () => {
    const { watching, ends } = watchedEnds()
    const [initiator, responder] = ends
    for (const piece of initiator.transmit(0, Infinity)) responder.receive(piece, 0)
    // given: its flights are ready; when: something else than CLIENT_AUTH follows
    responder.receive(new Uint8Array(36), 0)
    expect(responder.state).toBe('closed')
    expect(responder.transmit(0, Infinity)).toEqual([])
    expect(watching[1].unwiped()).toEqual([])
  })
})
