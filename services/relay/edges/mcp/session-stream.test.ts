import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it } from 'vitest'
import { Asked, askOn, clientOf } from '../../../../test/fixtures/edge/asked.ts'
import {
  type EdgeHarness,
  type EdgeHarnessOptions,
  edgeHarness,
  legacy,
  openSession,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { eventTexts, lastEventId } from '../../../../test/fixtures/edge/http-client.ts'
import type { ScriptedCall } from '../../../../test/fixtures/edge/scripted-target.ts'
import { EVENT_COST_OCTETS } from '../../sessions/session-events.ts'

let harness: EdgeHarness
let headers: Record<string, string>
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

async function session(options: EdgeHarnessOptions = {}, revision?: string): Promise<void> {
  harness = await edgeHarness(options)
  headers = await openSession(harness, revision)
}

const opening = () => harness.target.calls[0] as ScriptedCall
const say = (text: string) => clientOf(opening()).notification(Buffer.from(text), () => {})
const resume = (after: string, own = headers) => harness.client.events({ ...own, 'last-event-id': after })
const eventsDropped = () => harness.metrics.value('causeway_events_dropped_total')

/** A call whose stream has begun; with `text`, what has come of it. */
async function streamingCall() {
  const sent = harness.client.send(legacy('tools/call', {}, harness.target.calls.length), headers)
  const call = await harness.target.callNumber(harness.target.calls.length)
  call.notify('{"n":1}')
  const answer = await sent.head()
  const text = await answer.text((some) => some.includes('{"n":1}\n\n'))
  return { call, answer, text }
}

async function disconnected({ call, answer }: Awaited<ReturnType<typeof streamingCall>>): Promise<void> {
  const resumes = call.resumes
  answer.disconnect()
  await harness.target.until(() => call.resumes > resumes)
}

describe('the stream of a GET', () => {
  it('begins with an event that has an id and no data, and says when to come back', async () => {
    await session()
    const stream = await harness.client.events(headers)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    const text = await stream.text((some) => some.includes('data'))
    expect(text).toMatch(/^id: 0-1\nretry: 1000\ndata: \n\n/)
  })

  it('has no such event before revision 2025-11-25, but its head comes at once, and its events have ids', async () => {
    await session({}, '2025-06-18')
    const stream = await harness.client.events(headers)
    expect(await stream.text((text) => text.length > 0)).toBe(':\n\n')
    say('{"n":1}')
    await stream.text((text) => text.endsWith('event: message\nid: 0-1\ndata: {"n":1}\n\n'))
  })

  it('gets a comment after each silence of 15 s, and lives on for as long as both ends like', async () => {
    await session()
    const stream = await harness.client.events(headers)
    const before = (await stream.text((text) => text.includes('data'))).length
    for (let count = 1; count <= 3; count++) {
      harness.clock.advance(15_000)
      await stream.text((text) => text.length > before + count * 3 - 1)
    }
    harness.clock.advance(24 * 3_600_000)
    say('{"n":1}')
    await stream.text((text) => text.includes('{"n":1}'))
    expect(harness.edge.openSessions).toBe(1)
  })

  it('opened anew ends the one before it: a client whose old connection died unnoticed gets through', async () => {
    await session()
    const old = await harness.client.events(headers)
    const next = await harness.client.events(headers)
    say('{"n":1}')
    await next.text((text) => text.includes('{"n":1}'))
    expect((await old.whole()).body).not.toContain('{"n":1}')
  })

  it('shows what came while there was none, once', async () => {
    await session()
    say('{"n":1}')
    const first = await harness.client.events(headers)
    await first.text((text) => text.includes('{"n":1}'))
    const second = await harness.client.events(headers)
    say('{"n":2}')
    expect(eventTexts(await second.text((text) => text.includes('{"n":2}')))).toEqual(['{"n":2}'])
  })

  it('goes on after the event that the client saw last', async () => {
    await session()
    const first = await harness.client.events(headers)
    for (const n of [1, 2, 3]) say(`{"n":${n}}`)
    const text = await first.text((some) => some.includes('{"n":3}'))
    const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '')
    expect(new Set(ids).size).toBe(4)
    const second = await resume(ids[1] ?? '')
    say('{"n":4}')
    const body = await second.text((some) => some.includes('{"n":4}'))
    expect(eventTexts(body)).toEqual(['{"n":2}', '{"n":3}', '{"n":4}'])
    expect(lastEventId(body)).not.toBe(ids[3])
  })

  it('is refused beyond the streams that one session may have, until one ends', async () => {
    await session({ limits: { streamsPerSession: 2 } })
    const calls = [await streamingCall(), await streamingCall(), await streamingCall()]
    const streams = []
    for (const { text } of calls.slice(0, 2)) streams.push(await resume(lastEventId(text)))
    const refused = await (await resume(lastEventId(calls[2]?.text ?? ''))).whole()
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('5')
    expect(JSON.parse(refused.body).error).toMatchObject({
      code: -33113,
      data: { causeway: { code: 'QuotaExceeded' } },
    })
    expect(refused.body).toContain('limits.streamsPerSession')
    calls[0]?.call.result()
    await streams[0]?.whole()
    expect((await resume(lastEventId(calls[2]?.text ?? ''))).status).toBe(200)
  })

  it('needs a session that is known here, and a client that takes events', async () => {
    await session()
    const events = (changes: Record<string, string | undefined>, path?: string) =>
      harness.client.events({ ...headers, ...changes }, path)
    expect((await events({ 'mcp-session-id': undefined })).status).toBe(400)
    expect((await events({ 'mcp-session-id': 'nobody' })).status).toBe(404)
    expect((await events({}, '/other')).status).toBe(404)
    expect((await events({ accept: 'application/json' })).status).toBe(406)
    expect((await events({ 'mcp-protocol-version': '2026-07-28' })).status).toBe(405)
  })

  it('keeps its session from ending as idle', async () => {
    await session({ limits: { sessionIdleMs: 60_000 } })
    const stream = await harness.client.events(headers)
    await stream.text((text) => text.length > 0)
    harness.clock.advance(600_000)
    expect(harness.edge.openSessions).toBe(1)
    const other = await harness.client.events(headers)
    other.disconnect()
    await stream.whole()
    harness.target.script = (call) => call.result()
    await harness.client.post(legacy('ping'), headers)
    harness.clock.advance(120_000)
    expect(harness.target.ended).toMatchObject([{ reason: 'idle' }])
  })
})

describe('the stream of a call', () => {
  it('begins after one second, with the event that a client can come back to', async () => {
    await session()
    const sent = harness.client.send(legacy('tools/call'), headers)
    const call = await harness.target.callNumber(1)
    harness.clock.advance(1_000)
    const answer = await sent.head()
    expect(answer.headers['content-type']).toBe('text/event-stream')
    expect(await answer.text((text) => text.length > 0)).toBe('id: 1-1\nretry: 1000\ndata: \n\n')
    call.result('{"r":1}')
    expect(eventTexts((await answer.whole()).body)).toEqual(['{"r":1}'])
  })

  it('begins with the response where that comes sooner', async () => {
    await session()
    const sent = harness.client.send(legacy('tools/call'), headers)
    const call = await harness.target.callNumber(1)
    harness.clock.advance(999)
    call.result()
    const answer = await (await sent.head()).whole()
    expect(answer.headers['content-type']).toBe('text/event-stream')
    expect(eventTexts(answer.body)).toHaveLength(1)
    expect(harness.clock.pending).toBe(1)
  })

  it('goes on when its client is gone: what comes meanwhile, the response too, is held for it', async () => {
    await session()
    const open = await streamingCall()
    await disconnected(open)
    expect(open.call.cancels).toEqual([])
    open.call.notify('{"n":2}')
    open.call.result('{"r":1}')
    const body = (await (await resume(lastEventId(open.text))).whole()).body
    expect(eventTexts(body)).toEqual(['{"n":2}', '{"r":1}'])
    expect(harness.metrics.value('causeway_exchanges_total', { side: 'edge', outcome: 'result' })).toBe(2)
  })

  it('goes on live after what was held', async () => {
    await session()
    const open = await streamingCall()
    await disconnected(open)
    open.call.notify('{"n":2}')
    const again = await resume(lastEventId(open.text))
    await again.text((text) => text.includes('{"n":2}'))
    const asked = askOn(open.call, '{"jsonrpc":"2.0","id":5,"method":"ping"}')
    await harness.client.post('{"jsonrpc":"2.0","id":5,"result":{}}', headers)
    await asked.ended()
    open.call.result('{"r":1}')
    expect(eventTexts((await again.whole()).body)).toEqual([
      '{"n":2}',
      '{"jsonrpc":"2.0","id":5,"method":"ping"}',
      '{"r":1}',
    ])
  })

  it('may be gone on with while its old connection is still there, which ends', async () => {
    await session()
    const open = await streamingCall()
    const again = await resume(lastEventId(open.text))
    open.call.result('{"r":1}')
    expect(eventTexts((await again.whole()).body)).toEqual(['{"r":1}'])
    expect(eventTexts((await open.answer.whole()).body)).toEqual(['{"n":1}'])
    expect(open.call.cancels).toEqual([])
  })

  it('may be gone on with from any event of it that is held', async () => {
    await session()
    const open = await streamingCall()
    open.call.notify('{"n":2}')
    open.call.result('{"r":1}')
    const { body } = await open.answer.whole()
    const ids = [...body.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '')
    for (const [index, id] of ids.slice(0, -1).entries()) {
      const again = (await (await resume(id)).whole()).body
      expect(eventTexts(again)).toEqual(['{"n":1}', '{"n":2}', '{"r":1}'].slice(index))
      expect(lastEventId(again)).toBe(ids.at(-1))
    }
  })

  it('never shows what belongs to another stream or session', async () => {
    await session()
    const [one, two] = [await streamingCall(), await streamingCall()]
    const general = await harness.client.events(headers)
    say('{"general":1}')
    await general.text((text) => text.includes('general'))
    one.call.result('{"r":1}')
    two.call.result('{"r":2}')
    expect(eventTexts((await (await resume(lastEventId(one.text))).whole()).body)).toEqual(['{"r":1}'])
    const other = await openSession(harness)
    const foreign = await (await resume(lastEventId(one.text), other)).whole()
    expect(foreign.status).toBe(400)
    expect(foreign.body).not.toContain('{"r":1}')
  })

  it.each(['', 'nonsense', '1-', '99-1', '0-99', '1-99', `${'9'.repeat(400)}-1`, '1-1.0', '-1-1'])(
    'is not gone on with after %j, which names no event: 400',
    async (id) => {
      await session()
      await streamingCall()
      const answer = await (await resume(id)).whole()
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.body).error.code).toBe(-32600)
    },
  )

  it('is over after its last event: 405; where that is held no more it is lost: 400', async () => {
    await session({ limits: { eventStoreEvents: 2 } })
    const open = await streamingCall()
    open.call.result('{"r":1}')
    const { body } = await open.answer.whole()
    expect((await resume(lastEventId(body))).status).toBe(405)
    expect((await resume(lastEventId(open.text))).status).toBe(200)
    for (const n of [1, 2]) say(`{"n":${n}}`)
    expect((await resume(lastEventId(open.text))).status).toBe(400)
    expect(eventsDropped()).toBe(2)
  })

  it('whose first events are held no more is still gone on with: the response counts most', async () => {
    await session({ limits: { eventStoreEvents: 2 } })
    const open = await streamingCall()
    await disconnected(open)
    for (const n of [2, 3, 4]) open.call.notify(`{"n":${n}}`)
    open.call.result('{"r":1}')
    expect(eventTexts((await (await resume(lastEventId(open.text))).whole()).body)).toEqual(['{"n":4}', '{"r":1}'])
  })

  it('is told of an error of the edge as of any response', async () => {
    await session({ routeLimits: { requestTimeoutMs: 5_000 } })
    const open = await streamingCall()
    await disconnected(open)
    harness.clock.advance(5_000)
    expect(open.call.cancels).toEqual(['deadline'])
    const [last] = eventTexts((await (await resume(lastEventId(open.text))).whole()).body)
    expect(JSON.parse(last ?? '').error).toMatchObject({ code: -33110, data: { causeway: { delivery: 'unknown' } } })
  })

  it('ends without a response where the call was cancelled, and nothing follows', async () => {
    await session()
    const open = await streamingCall()
    open.call.fail({ outcome: 2 })
    expect(eventTexts((await open.answer.whole()).body)).toEqual(['{"n":1}'])
    // Clients take 405 for the end of it; at any other answer they would ask again.
    expect((await resume(lastEventId(open.text))).status).toBe(405)
  })

  it('of a client that left before it began is for nobody', async () => {
    await session()
    const sent = harness.client.send(legacy('tools/call'), headers)
    const call = await harness.target.callNumber(1)
    sent.disconnect()
    await harness.target.until(() => call.resumes > 0)
    harness.clock.advance(10_000)
    call.result()
    expect(harness.metrics.value('causeway_late_replies_total', { side: 'edge' })).toBe(1)
  })

  it('of a slow client breaks off, and the client goes on after the last event that it took', async () => {
    await session({
      limits: { maxBufferedOctets: 3_000_000, eventStoreOctets: 100_000_000, eventStoreTotalOctets: 100_000_000 },
    })
    const open = await streamingCall()
    open.answer.pause()
    const big = JSON.stringify({ x: 'x'.repeat(1_000_000) })
    const resumes = open.call.resumes
    let count = 0
    while (open.call.resumes === resumes && count < 40) {
      open.call.notify(big)
      count++
    }
    open.answer.resume()
    await open.answer.broken()
    expect(open.call.cancels).toEqual([])
    open.call.result('{"r":1}')
    const texts: string[] = []
    let part = open.answer.octets.toString()
    for (;;) {
      const whole = part.slice(0, part.lastIndexOf('\n\n') + 2)
      texts.push(...eventTexts(whole))
      if (texts.at(-1) === '{"r":1}') break
      // More is held than may wait for it at once, so it comes in several goes.
      part = (await (await resume(lastEventId(whole))).whole()).body
    }
    expect(texts).toHaveLength(1 + count + 1)
  })
})

describe('what is held', () => {
  it('is bounded per session in octets, the oldest going first', async () => {
    await session({ limits: { eventStoreOctets: 20 } })
    for (const n of [1, 2, 3, 4]) say(`{"n":${n}}`)
    say(`{"large":"${'x'.repeat(30)}"}`)
    expect(eventsDropped()).toBe(3)
    const stream = await harness.client.events(headers)
    expect(eventTexts(await stream.text((text) => text.includes('{"n":4}')))).toEqual(['{"n":3}', '{"n":4}'])
  })

  it('is bounded over all sessions, the oldest of all going first', async () => {
    await session({ limits: { eventStoreTotalOctets: 2 * EVENT_COST_OCTETS + 20 } })
    say('{"n":1}')
    const other = await openSession(harness)
    const client = clientOf(harness.target.calls[1] as ScriptedCall)
    for (const n of [2, 3]) client.notification(Buffer.from(`{"n":${n}}`), () => {})
    expect(eventsDropped()).toBe(1)
    say('{"n":4}')
    const stream = await harness.client.events(other)
    expect(eventTexts(await stream.text((text) => text.includes('{"n":3}')))).toEqual(['{"n":3}'])
    const own = await harness.client.events(headers)
    expect(eventTexts(await own.text((text) => text.includes('{"n":4}')))).toEqual(['{"n":4}'])
  })

  it('answers the server where a request of its goes before any client saw it', async () => {
    await session({ limits: { eventStoreEvents: 1 } })
    const client = clientOf(opening())
    const ask = (id: number) =>
      new Asked(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, (request, sink) => client.request(request, sink))
    const lost = ask(1)
    expect(lost.ends).toEqual([])
    const kept = ask(2)
    expect(lost.ends).toEqual(['NotDelivered 0'])
    const stream = await harness.client.events(headers)
    await stream.text((text) => text.includes('"id":2'))
    say('{"n":1}')
    expect(kept.ends).toEqual([])
  })

  it('is given back with the session', async () => {
    await session({ limits: { eventStoreTotalOctets: 2 * EVENT_COST_OCTETS + 20 } })
    for (const n of [1, 2]) say(`{"n":${n}}`)
    harness.edge.forgetSession(opening().request.session?.id ?? '')
    await openSession(harness)
    const client = clientOf(harness.target.calls[1] as ScriptedCall)
    for (const n of [3, 4]) client.notification(Buffer.from(`{"n":${n}}`), () => {})
    expect(eventsDropped()).toBe(0)
  })
})

describe('DELETE', () => {
  it(`${requirement('MCP-021')} ends the session: 200 without a body, the target is told, its stream ends, and it is unknown`, async () => {
    await session()
    const stream = await harness.client.events(headers)
    const answer = await (await harness.client.request('DELETE', '/mcp', headers).head()).whole()
    expect(answer).toMatchObject({ status: 200, body: '' })
    expect(harness.target.ended).toEqual([{ session: opening().request.session, reason: 'client' }])
    await stream.whole()
    expect((await harness.client.post(legacy('ping'), headers)).status).toBe(404)
    expect(harness.edge.openSessions).toBe(0)
    expect(harness.metrics.value('causeway_sessions_ended_total', { side: 'edge', reason: 'client' })).toBe(1)
    expect((await harness.client.request('DELETE', '/mcp', headers).head()).status).toBe(404)
  })

  it('of no session is 400, and of another route 404', async () => {
    await session()
    const remove = async (path: string, own: Record<string, string>) =>
      (await harness.client.request('DELETE', path, own).head()).status
    expect(await remove('/mcp', {})).toBe(400)
    expect(await remove('/other', headers)).toBe(404)
    expect(harness.edge.openSessions).toBe(1)
  })
})

describe('stopping', () => {
  it('ends the streams of sessions at once, and those of calls with their calls', async () => {
    await session()
    const general = await harness.client.events(headers)
    const open = await streamingCall()
    await disconnected(open)
    const again = await resume(lastEventId(open.text))
    const stopped = harness.edge.stop(10_000)
    await general.whole()
    open.call.result('{"r":1}')
    expect(eventTexts((await again.whole()).body)).toEqual(['{"r":1}'])
    await stopped
    expect(harness.clock.pending).toBe(0)
  })
})
