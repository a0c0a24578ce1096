import { requirement } from '@causeway/test/requirements'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Asked, askOn, clientOf } from '../../../../test/fixtures/edge/asked.ts'
import {
  type EdgeHarness,
  edgeHarness,
  INITIALIZE,
  legacy,
  modern,
  modernHeaders,
  openSession,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { eventTexts } from '../../../../test/fixtures/edge/http-client.ts'

const MAX_REQUESTS = 3
let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness({ limits: { serverRequestsPerSession: MAX_REQUESTS } })
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

const sampling = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"n":1.0}}`
const result = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{"text" : "é"}}`
const dropped = () => harness.metrics.value('causeway_notifications_dropped_total', { reason: 'client_response' })

/** A session with one call that is open. */
async function withCall() {
  const headers = await openSession(harness)
  const sent = harness.client.send(legacy('tools/call'), headers)
  return { headers, sent, call: await harness.target.callNumber(harness.target.calls.length) }
}

describe('a request of the server within a call', () => {
  it(`${requirement('MCP-012', 'MCP-002')} goes on the stream of that call, and the answer goes back, both as written`, async () => {
    const { headers, sent, call } = await withCall()
    const asked = askOn(call, sampling('7'))
    const answer = await sent.head()
    await answer.text((text) => text.includes(sampling('7')))
    const taken = await harness.client.post(result('7'), headers)
    expect(taken).toMatchObject({ status: 202, body: '' })
    expect(await asked.ended()).toBe(`result ${result('7')}`)
    call.result('{"r":1}')
    expect(eventTexts((await answer.whole()).body)).toEqual([sampling('7'), '{"r":1}'])
    expect(dropped()).toBe(0)
  })

  it('may be answered with an error', async () => {
    const { headers, call } = await withCall()
    const asked = askOn(call, sampling('"a"'))
    const error = '{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}}'
    expect((await harness.client.post(error, headers)).status).toBe(202)
    expect(await asked.ended()).toBe(`error ${error}`)
  })

  it('may be answered after its call has ended', async () => {
    const { headers, call } = await withCall()
    const asked = askOn(call, sampling('7'))
    call.result()
    await harness.client.post(result('7'), headers)
    expect(await asked.ended()).toBe(`result ${result('7')}`)
  })

  it.each([
    ['1', '1.0'],
    ['"a"', '"\\u0061"'],
    ['12345678901234567890', '12345678901234567890'],
  ])('with id %s is answered by the id %s, which is the same', async (asks, answers) => {
    const { headers, call } = await withCall()
    const asked = askOn(call, sampling(asks))
    await harness.client.post(result(answers), headers)
    expect(await asked.ended()).toBe(`result ${result(answers)}`)
  })

  it.each([
    ['7', '"7"'],
    ['9007199254740993', '9007199254740992'],
    ['7', '8'],
  ])('with id %s is not answered by the id %s: 202, dropped and counted', async (asks, answers) => {
    const { headers, call } = await withCall()
    const asked = askOn(call, sampling(asks))
    expect((await harness.client.post(result(answers), headers)).status).toBe(202)
    expect(asked.ends).toEqual([])
    expect(dropped()).toBe(1)
  })

  it('takes one answer: another is 202, dropped and counted', async () => {
    const { headers, call } = await withCall()
    const asked = askOn(call, sampling('7'))
    await harness.client.post(result('7'), headers)
    expect((await harness.client.post(result('7'), headers)).status).toBe(202)
    expect(asked.ends).toHaveLength(1)
    expect(dropped()).toBe(1)
  })

  it('is never answered from another session, nor from outside any', async () => {
    const { call } = await withCall()
    const asked = askOn(call, sampling('7'))
    const other = await openSession(harness)
    expect((await harness.client.post(result('7'), other)).status).toBe(202)
    expect((await harness.client.post(result('7'))).status).toBe(202)
    expect(asked.ends).toEqual([])
    expect(dropped()).toBe(2)
  })

  it(`${requirement('RPC-023')} with an id that is open in its session is refused to the server, and never shown`, async () => {
    const { call } = await withCall()
    const first = askOn(call, sampling('1'))
    const second = askOn(call, sampling('1.0'))
    expect(second.ends).toEqual(['NotDelivered 0'])
    expect(first.ends).toEqual([])
    const outside = new Asked(sampling('1'), (request, sink) =>
      clientOf(harness.target.calls[0] ?? call).request(request, sink),
    )
    expect(outside.ends).toEqual(['NotDelivered 0'])
  })

  it('is refused beyond the number that one client may have to answer', async () => {
    const { headers, call } = await withCall()
    for (let id = 0; id < MAX_REQUESTS; id++) expect(askOn(call, sampling(String(id))).ends).toEqual([])
    expect(askOn(call, sampling('9')).ends).toEqual(['QuotaExceeded 0'])
    await harness.client.post(result('0'), headers)
    expect(askOn(call, sampling('9')).ends).toEqual([])
  })

  it('is refused where nobody could answer it: outside sessions, in the modern era, after the end of a session', async () => {
    harness.client.send(legacy('tools/call'))
    expect(askOn(await harness.target.callNumber(0), sampling('1')).ends).toEqual(['NotDelivered 0'])
    harness.client.send(modern('tools/list'), modernHeaders('tools/list'))
    expect(askOn(await harness.target.callNumber(1), sampling('1')).ends).toEqual(['NotDelivered 0'])
    const { call } = await withCall()
    harness.edge.forgetSession(call.request.session?.id ?? '')
    expect(askOn(call, sampling('1')).ends).toEqual(['NotDelivered 0'])
  })

  it('tells the client its session before initialize has its reply', async () => {
    const sent = harness.client.send(INITIALIZE)
    const call = await harness.target.callNumber(0)
    call.notify('{"n":1}')
    const asked = askOn(call, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
    const answer = await sent.head()
    const headers = { 'mcp-session-id': String(answer.headers['mcp-session-id']) }
    await harness.client.post(result('1'), headers)
    expect(await asked.ended()).toBe(`result ${result('1')}`)
    call.result()
    expect(eventTexts((await answer.whole()).body)).toHaveLength(3)
    harness.target.script = (one) => one.result()
    expect((await harness.client.post(legacy('ping'), headers)).status).toBe(200)
  })
})

describe('a request of the server that it gives up', () => {
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'

  it('is followed by its own words on the stream where it went, and ends as cancelled', async () => {
    const { headers, sent, call } = await withCall()
    const asked = askOn(call, sampling('7'))
    asked.cancel(cancelled)
    expect(asked.ends).toEqual(['NotDelivered 2'])
    asked.cancel(cancelled)
    call.result('{"r":1}')
    const answer = await (await sent.head()).whole()
    expect(eventTexts(answer.body)).toEqual([sampling('7'), cancelled, '{"r":1}'])
    await harness.client.post(result('7'), headers)
    expect(asked.ends).toHaveLength(1)
    expect(dropped()).toBe(1)
  })

  it('after its call has ended is followed by them on the stream of the session', async () => {
    const { headers, call } = await withCall()
    const asked = askOn(call, sampling('7'))
    call.result()
    asked.cancel(cancelled)
    const stream = await harness.client.events(headers)
    expect(eventTexts(await stream.text((text) => text.includes(cancelled)))).toEqual([cancelled])
  })

  it('as it is gone itself ends without a word', async () => {
    const { sent, call } = await withCall()
    const asked = askOn(call, sampling('7'))
    asked.cancel()
    call.result('{"r":1}')
    expect(asked.ends).toEqual(['NotDelivered 2'])
    expect(eventTexts((await (await sent.head()).whole()).body)).toEqual([sampling('7'), '{"r":1}'])
  })

  it('leaves its id to the next one', async () => {
    const { headers, call } = await withCall()
    const first = askOn(call, sampling('7'))
    first.cancel()
    const second = askOn(call, sampling('7'))
    first.cancel(cancelled)
    await harness.client.post(result('7'), headers)
    expect(await second.ended()).toBe(`result ${result('7')}`)
    expect(first.ends).toEqual(['NotDelivered 2'])
  })
})

describe('what the server says outside any call', () => {
  const changed = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'

  it('goes on the stream that the client opened by GET, each event in the turn in which it came', async () => {
    const headers = await openSession(harness)
    const client = clientOf(harness.target.calls[0] as never)
    const stream = await harness.client.events(headers)
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(client.notification(Buffer.from(changed), () => {})).toBe('ok')
    await stream.text((text) => text.includes(changed))
    const asked = new Asked('{"jsonrpc":"2.0","id":1,"method":"roots/list"}', (request, sink) =>
      client.request(request, sink),
    )
    await stream.text((text) => text.includes('roots/list'))
    await harness.client.post(result('1'), headers)
    expect(await asked.ended()).toBe(`result ${result('1')}`)
  })

  it('waits for a client that has no stream yet', async () => {
    const headers = await openSession(harness)
    const client = clientOf(harness.target.calls[0] as never)
    client.notification(Buffer.from(changed), () => {})
    const asked = new Asked(sampling('1'), (request, sink) => client.request(request, sink))
    const stream = await harness.client.events(headers)
    expect(eventTexts(await stream.text((text) => text.includes('sampling')))).toEqual([changed, sampling('1')])
    expect(asked.ends).toEqual([])
  })

  it('never reaches another session', async () => {
    const one = await openSession(harness)
    const two = await openSession(harness)
    const streams = [await harness.client.events(one), await harness.client.events(two)]
    for (const [index, call] of harness.target.calls.entries()) {
      clientOf(call).notification(Buffer.from(`{"session":${index}}`), () => {})
    }
    for (const [index, stream] of streams.entries()) {
      const text = await stream.text((some) => some.includes('session'))
      expect(eventTexts(text)).toEqual([`{"session":${index}}`])
    }
  })

  it('makes its source wait for a client that is behind, until it has caught up or is gone', async () => {
    const big = Buffer.from(`{"x":"${'x'.repeat(1_000_000)}"}`)
    const headers = await openSession(harness)
    const client = clientOf(harness.target.calls[0] as never)
    for (const how of ['catches up', 'leaves']) {
      const stream = await harness.client.events(headers)
      await stream.text((text) => text.length > 0)
      stream.pause()
      const room = new Promise<void>((resolve) => {
        while (client.notification(big, resolve) === 'ok');
      })
      if (how === 'leaves') stream.disconnect()
      else stream.resume()
      await room
      stream.disconnect()
    }
  })
})

describe('a client that takes nothing of the stream of its session for 30 s', () => {
  it('loses the connection and not the session, and finds on the next one what it was not shown', async () => {
    const headers = await openSession(harness)
    const client = clientOf(harness.target.calls[0] as never)
    const stream = await harness.client.events(headers)
    await stream.text((text) => text.length > 0)
    stream.pause()
    const big = Buffer.from(`{"x":"${'x'.repeat(500_000)}"}`)
    let told = false
    while (client.notification(big, () => (told = true)) === 'ok');
    harness.clock.advance(30_000)
    stream.resume()
    await stream.broken()
    expect(told).toBe(true)
    expect(harness.log).toMatchObject([{ level: 'warn', msg: 'a client took nothing of a stream for too long' }])
    client.notification(Buffer.from('{"n":1}'), () => {})
    const next = await harness.client.events(headers)
    await next.text((text) => text.includes('{"n":1}'))
  })
})

describe('the end of a session', () => {
  it.each(['client', 'idle'])(
    'by its %s is told to the target before anything that was asked in it',
    async (reason) => {
      const { headers, call } = await withCall()
      call.result()
      const client = clientOf(harness.target.calls[0] as never)
      let toldBefore: unknown[] = []
      const asked = new Asked(sampling('1'), (request, sink) => {
        const fail: typeof sink.fail = (failure) => {
          toldBefore = harness.target.ended.map((ended) => ended.reason)
          sink.fail(failure)
        }
        return client.request(request, { ...sink, fail })
      })
      if (reason === 'idle') harness.clock.advance(2 * 60 * 60_000)
      else await harness.client.request('DELETE', '/mcp', headers).head()
      await asked.ended()
      expect(toldBefore).toEqual([reason])
    },
  )

  it('fails what the client has not answered, and ends its stream', async () => {
    const { headers, call } = await withCall()
    const stream = await harness.client.events(headers)
    const within = askOn(call, sampling('1'))
    const client = clientOf(harness.target.calls[0] as never)
    const outside = new Asked(sampling('2'), (request, sink) => client.request(request, sink))
    harness.edge.forgetSession(call.request.session?.id ?? '')
    expect([within.ends, outside.ends]).toEqual([['SessionLost 3'], ['SessionLost 3']])
    expect(eventTexts((await stream.whole()).body)).toEqual([sampling('2')])
    expect((await harness.client.post(legacy('ping'), headers)).status).toBe(404)
    expect((await harness.client.events(headers)).status).toBe(404)
    expect((await harness.client.post(result('1'), headers)).status).toBe(404)
    expect(client.notification(Buffer.from('{}'), () => {})).toBe('ok')
    expect(new Asked(sampling('3'), (request, sink) => client.request(request, sink)).ends).toEqual(['NotDelivered 0'])
  })
})
