import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { answer, BridgePair, call, FOREIGN_PEER, only, text, utf8 } from '../../../test/fixtures/npamp/bridge-ends.ts'
import { OUTCOME } from './contract.ts'

const SESSION = new Uint8Array(16).fill(1)
const OTHER = new Uint8Array(16).fill(2)
const cancelled = { code: 4, message: 'cancelled', outcome: OUTCOME.CANCELLED } as const
const cancelOf = (id: string) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`

describe('a cancel', () => {
  it('of a request that has not left takes it out of the queue: it was never sent', () => {
    const { near } = new BridgePair()
    const mine = near.request(call('1'))
    expect(near.bridge.cancel(mine, near.now)).toBe('withdrawn')
    expect([mine.state, near.association.waiting, near.bridge.openExchanges]).toEqual(['over', 0, 0])
    expect(text(near.request(call('1')).correlationId)).toBe('1')
  })

  it('of a request on its way crosses as the one notification that a relay writes, and names its exchange', () => {
    const pair = new BridgePair()
    const route = { target: 'tools', session: SESSION }
    const { mine, theirs } = pair.open(call('"a\\u0062"'), { route })
    expect(pair.near.bridge.cancel(mine, pair.near.now)).toBe('sent')
    expect(mine.state).toBe('cancelled')
    const event = only(pair.toFar(), 'cancel')
    expect(event.exchange).toBe(theirs)
    expect(theirs.state).toBe('cancelled')
    expect(text(event.octets)).toBe(cancelOf('"a\\u0062"'))
    expect(event.route).toEqual(route)
    expect(pair.near.bridge.cancel(mine, pair.near.now)).toBe('over')
    expect(pair.near.association.waiting).toBe(0)
  })

  it('of the client crosses as the client wrote it', () => {
    const pair = new BridgePair()
    const { mine } = pair.open(call('1'))
    const own = '{"params":{"reason":"enough","requestId":1},"jsonrpc":"2.0","method":"notifications/cancelled"}'
    expect(pair.near.bridge.cancel(mine, pair.near.now, { octets: utf8(own) })).toBe('sent')
    expect(text(only(pair.toFar(), 'cancel').octets)).toBe(own)
  })

  it('of the client that cannot cross gives way to the one that a relay writes', () => {
    const pair = new BridgePair()
    const { mine } = pair.open(call('1'))
    pair.near.association.peerMaxFrameOctets = 500
    const long = cancelOf('1').replace('"requestId"', `"reason":"${'x'.repeat(500)}","requestId"`)
    expect(pair.near.bridge.cancel(mine, pair.near.now, { octets: utf8(long) })).toBe('sent')
    expect(text(only(pair.toFar(), 'cancel').octets)).toBe(cancelOf('1'))
  })

  it(`${requirement('RPC-009')} is still answered once: with outcome cancelled`, () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.near.bridge.cancel(mine, pair.near.now)
    pair.toFar()
    expect(pair.far.bridge.fail(theirs, cancelled, pair.far.now)).toBe('queued')
    expect(pair.far.result(theirs, answer('1'))).toBe('dropped')
    const failed = only(pair.toNear(), 'failed')
    expect([failed.exchange, failed.failure.outcome, failed.by]).toEqual([mine, OUTCOME.CANCELLED, 'peer'])
    expect(pair.near.bridge.nextTimeout()).toBeUndefined()
  })

  it('that nobody asked for does not leave the caller without a word', () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.far.bridge.fail(theirs, cancelled, pair.far.now)
    const failed = only(pair.toNear(), 'failed')
    expect([failed.exchange, failed.failure.code, failed.failure.outcome]).toEqual([mine, 4, OUTCOME.UNKNOWN])
  })

  it('that loses the race against the real reply ends with that reply', () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.far.result(theirs, answer('1'))
    pair.near.bridge.cancel(mine, pair.near.now)
    expect(only(pair.toNear(), 'reply').exchange).toBe(mine)
    expect(pair.toFar()).toEqual([])
    expect(pair.far.dropped('unknown_cancel')).toBe(1)
  })

  it('that is never answered ends after 60 s, and its id is not used again while a late reply could meet it', () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.near.bridge.cancel(mine, pair.near.now)
    expect(pair.near.bridge.nextTimeout()).toBe(pair.near.now + 60_000)
    expect(pair.near.bridge.handleTimeout(pair.near.now + 59_999)).toEqual([])
    pair.near.now += 60_000
    const failed = only(pair.near.bridge.handleTimeout(pair.near.now), 'failed')
    expect(failed).toMatchObject({ exchange: mine, by: 'local', failure: { code: 4, outcome: 1 } })
    expect([mine.state, pair.near.bridge.openExchanges, pair.near.bridge.nextTimeout()]).toEqual(['over', 0, undefined])

    const again = pair.near.request(call('1'))
    expect(text(again.correlationId)).toBe('1#0000000000000001')
    pair.near.association.takeAll()
    pair.far.result(theirs, answer('1'))
    expect(pair.toNear()).toEqual([])
    expect([pair.near.dropped('late_reply'), again.state]).toEqual([1, 'sent'])
  })

  it("that was answered leaves its id remembered: the real answer may still come, and is no other request's", () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.near.bridge.cancel(mine, pair.near.now)
    pair.toFar()
    pair.far.bridge.fail(theirs, cancelled, pair.far.now)
    pair.toNear()
    expect(text(pair.near.request(call('1')).correlationId)).toMatch(/^1#[0-9a-f]{16}$/)
  })

  it('several expire in their order', () => {
    const pair = new BridgePair()
    const [first, second] = ['1', '2'].map((id) => pair.open(call(id)).mine)
    if (first === undefined || second === undefined) throw new Error('two requests expected')
    pair.near.bridge.cancel(second, 1000)
    pair.near.bridge.cancel(first, 1500)
    expect(pair.near.bridge.handleTimeout(61_000)).toMatchObject([{ exchange: second }])
    expect(pair.near.bridge.nextTimeout()).toBe(61_500)
    expect(pair.near.bridge.handleTimeout(70_000)).toMatchObject([{ exchange: first }])
  })
})

describe('a cancel without RelatedExchange', () => {
  const notify = (pair: BridgePair, id: string, session: Uint8Array | undefined) =>
    pair.near.bridge.notify({
      protocolId: 1,
      octets: utf8(cancelOf(id)),
      route: { target: 'tools', session },
    })

  it('finds its exchange by the id inside its session, in any spelling', () => {
    const pair = new BridgePair()
    const one = pair.open(call('1'), { route: { target: 'tools', session: SESSION } })
    const two = pair.open(call('1'), { route: { target: 'tools', session: OTHER } })
    notify(pair, '1.0', OTHER)
    expect(only(pair.toFar(), 'cancel').exchange).toBe(two.theirs)
    expect(one.theirs.state).toBe('open')
  })

  it('is dropped and counted where nothing fits', () => {
    const pair = new BridgePair()
    pair.open(call('1'), { route: { target: 'tools', session: SESSION } })
    for (const id of ['2', '"1"', 'null', '{"e":1}', '[1]', 'true']) notify(pair, id, SESSION)
    notify(pair, '1', OTHER)
    expect(pair.toFar()).toEqual([])
    expect(pair.far.dropped('unknown_cancel')).toBe(7)
  })

  it('never guesses between the clients of a relay that sent no session', () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('1'), { route: { target: 'tools', session: undefined } })
    notify(pair, '1', undefined)
    expect(pair.toFar()).toEqual([])
    expect(theirs.state).toBe('open')
  })

  it('finds the exchange of a foreign peer by its id alone', () => {
    const pair = new BridgePair(FOREIGN_PEER, FOREIGN_PEER)
    const { mine, theirs } = pair.open(call('1'))
    pair.near.bridge.cancel(mine, pair.near.now)
    expect(only(pair.toFar(), 'cancel').exchange).toBe(theirs)
  })

  it('of a foreign peer is dropped where two exchanges have its id', () => {
    const pair = new BridgePair(FOREIGN_PEER, FOREIGN_PEER)
    const [one, two] = [pair.open(call('1')), pair.open(call('1'))]
    notify(pair, '1', undefined)
    expect(pair.toFar()).toEqual([])
    expect([one.theirs.state, two.theirs.state, pair.far.dropped('unknown_cancel')]).toEqual(['open', 'open', 1])
  })

  it('that comes twice cancels once', () => {
    const pair = new BridgePair()
    pair.open(call('1'), { route: { target: 'tools', session: SESSION } })
    notify(pair, '1', SESSION)
    notify(pair, '1', SESSION)
    expect(pair.toFar()).toHaveLength(1)
    expect(pair.far.dropped('unknown_cancel')).toBe(1)
  })
})

it('a notification of that name about a request of ours is no cancel: the server ends a subscription with it', () => {
  const pair = new BridgePair()
  const { mine, theirs } = pair.open(call('1', 'subscriptions/listen'))
  pair.far.bridge.notify({ protocolId: 1, octets: utf8(cancelOf('1')), related: theirs })
  const event = only(pair.toNear(), 'notification')
  expect([event.related, event.method, mine.state]).toEqual([mine, 'notifications/cancelled', 'sent'])
})
