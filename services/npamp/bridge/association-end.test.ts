import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { answer, BridgePair, call, only, text, utf8 } from '../../../test/fixtures/npamp/bridge-ends.ts'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import type { AssociationEvent } from '../association/contract.ts'

const CLOSED: AssociationEvent = { type: 'closed', cause: { by: 'peer', code: 1, reason: '' } }

describe('the end of the association', () => {
  it(`${requirement('BRG-019')} fails every request of ours: not delivered where it never left, else unknown`, () => {
    const pair = new BridgePair()
    const sent = pair.open(call('1')).mine
    const cancelled = pair.open(call('2')).mine
    pair.near.bridge.cancel(cancelled, pair.near.now)
    const queued = pair.near.request(call('3'))
    const events = pair.near.handle(CLOSED)
    expect(events.map((event) => event.type === 'failed' && [event.exchange, event.failure.outcome, event.by])).toEqual(
      [
        [sent, 1, 'local'],
        [cancelled, 1, 'local'],
        [queued, 0, 'local'],
      ],
    )
    expect(events).toMatchObject([{ failure: { code: 4 } }, { failure: { code: 4 } }, { failure: { code: 4 } }])
    expect([pair.near.bridge.openExchanges, pair.near.association.openExchanges]).toEqual([0, 0])
    expect(pair.near.bridge.nextTimeout()).toBeUndefined()
    expect(pair.near.handle(CLOSED)).toEqual([])
  })

  it('takes what never left out of the queue', () => {
    const { near } = new BridgePair()
    near.request(call('3'))
    near.handle(CLOSED)
    expect(near.association.waiting).toBe(0)
  })

  it('abandons the requests of the peer: answers to them go nowhere', () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('1'))
    expect(only(pair.far.handle(CLOSED), 'abandoned').exchange).toBe(theirs)
    expect([theirs.state, pair.far.result(theirs, answer('1'))]).toEqual(['over', 'dropped'])
  })

  it('refuses everything that comes later', () => {
    const { near } = new BridgePair()
    near.handle(CLOSED)
    expect(failure(() => near.request(call('1')))).toBe('closed/CLOSED')
    expect(failure(() => near.bridge.notify({ protocolId: 1, octets: utf8('{}') }))).toBe('closed/CLOSED')
  })

  it('may be known to the association before its event is read: answers are dropped, not thrown', () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.far.association.state = 'closed'
    pair.near.association.state = 'closed'
    expect(pair.far.result(theirs, answer('1'))).toBe('dropped')
    expect(pair.far.bridge.fail(theirs, { code: 4, message: '' }, 0)).toBe('dropped')
    expect(pair.near.bridge.cancel(mine, 0)).toBe('sent')
    expect(failure(() => pair.near.request(call('2')))).toBe('closed/CLOSED')
    expect(only(pair.near.handle(CLOSED), 'failed').exchange).toBe(mine)
  })
})

describe('an ERROR frame of the peer about a request of ours', () => {
  const about = (sequence: bigint, code: number): AssociationEvent => ({
    type: 'peerError',
    channel: 0x000d,
    code,
    refType: 0x0100,
    refSequence: sequence,
  })

  it('ends that request; what became of it is unknown, as sequence numbers begin anew with each key', () => {
    const pair = new BridgePair()
    pair.open(call('1'))
    const second = pair.open(call('2')).mine
    const failed = only(pair.near.handle(about(1n, 8)), 'failed')
    expect(failed).toMatchObject({ exchange: second, by: 'local', failure: { code: 4, outcome: 1 } })
    expect(pair.near.bridge.openExchanges).toBe(1)
    expect(text(pair.near.request(call('2')).correlationId)).toBe('2#0000000000000001')
  })

  it('of other frames, or of none that waits, means nothing here', () => {
    const pair = new BridgePair()
    pair.open(call('1'))
    expect(pair.near.handle(about(7n, 1))).toEqual([])
    expect(pair.near.handle({ ...about(0n, 1), refType: 0x0103 } as AssociationEvent)).toEqual([])
    expect(pair.near.handle({ ...about(0n, 1), channel: 0 } as AssociationEvent)).toEqual([])
    expect(pair.near.bridge.openExchanges).toBe(1)
  })
})

it('other events of the association are not for the Bridge', () => {
  const { near } = new BridgePair()
  expect(near.handle({ type: 'drained' })).toEqual([])
  expect(near.handle({ type: 'link', message: { op: 'drain' } })).toEqual([])
})
