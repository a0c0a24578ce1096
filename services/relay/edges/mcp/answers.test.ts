import type { FailureCode } from '@causeway/npamp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  edgeHarness,
  INITIALIZE,
  legacy,
  modern,
  modernHeaders,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { type Answer, eventTexts } from '../../../../test/fixtures/edge/http-client.ts'
import type { CallFailure } from '../../exchanges/contract.ts'

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness()
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

function ask(era: 'modern' | 'legacy', method = 'tools/list'): Promise<Answer> {
  return era === 'modern'
    ? harness.client.post(modern(method), modernHeaders(method))
    : harness.client.post(legacy(method))
}

const error = (code: string, id = '"id":1,') => `{"jsonrpc":"2.0",${id}"error":{"code":${code},"message":"m"}}`

describe('the HTTP status of a reply', () => {
  it.each([
    ['modern', -32601, 404],
    ['modern', -32020, 400],
    ['modern', -32021, 400],
    ['modern', -32022, 400],
    ['modern', -32602, 200],
    ['modern', -33110, 200],
    ['legacy', -32601, 200],
    ['legacy', -32020, 200],
    ['legacy', -32602, 200],
  ] as const)('without one of the backend, %s, error %i: %i', async (era, code, status) => {
    harness.target.script = (call) => call.error(error(String(code)))
    const answer = await ask(era)
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: error(String(code)) })
  })

  it.each([
    ['modern', '"id":null,'],
    ['modern', ''],
    ['legacy', '"id":null,'],
    ['legacy', ''],
  ] as const)('without one of the backend, %s, error with %j: 400', async (era, id) => {
    harness.target.script = (call) => call.error(error('-32000', id))
    expect((await ask(era)).status).toBe(400)
  })

  it.each([200, 400, 404, 406, 500, 503])('is the one of the backend: %i', async (status) => {
    harness.target.script = (call) => call.error(error('-32601'), { status })
    expect((await ask('modern')).status).toBe(status)
  })

  it.each([401, 403, 407, 100, 204, 302, 999, 0.5, -1])('is never %d', async (status) => {
    harness.target.script = (call) => call.error(error('-32000'), { status })
    expect((await ask('legacy')).status).toBe(200)
  })

  it('is 200 for a result', async () => {
    harness.target.script = (call) => call.result()
    expect((await ask('modern')).status).toBe(200)
  })

  it('comes with the Retry-After of the backend, if that is one', async () => {
    harness.target.script = (call) =>
      call.error(error('-32000'), { status: 503, parameters: new Map([['retry-after', '120']]) })
    expect((await ask('legacy')).headers['retry-after']).toBe('120')
    harness.target.script = (call) =>
      call.error(error('-32000'), { status: 503, parameters: new Map([['retry-after', '1\r\nSet-Cookie: a=b']]) })
    const answer = await ask('legacy')
    expect(answer.headers['retry-after']).toBeUndefined()
    expect(answer.headers['set-cookie']).toBeUndefined()
  })
})

describe('an exchange that ended without an answer of the backend', () => {
  it.each<[FailureCode, number]>([
    ['NotDelivered', -33110],
    ['SafetyPolicy', -33111],
    ['ApprovalRequired', -33112],
    ['QuotaExceeded', -33113],
    ['ProtocolUnsupported', -33114],
    ['MethodUnsupported', -33115],
    ['AuditUnavailable', -33116],
    ['BackendAuthRequired', -33117],
  ])('%s: 200 and %i under the id of the request', async (code, number) => {
    harness.target.script = (call) => call.fail({ code, message: 'why', outcome: 1, hint: 'do this' })
    const answer = await harness.client.post('{"jsonrpc":"2.0","id":1.0,"method":"tools/call"}')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.body.startsWith('{"jsonrpc":"2.0","id":1.0,"error":{')).toBe(true)
    expect(JSON.parse(answer.body).error).toEqual({
      code: number,
      message: 'why',
      data: {
        causeway: {
          code,
          delivery: 'unknown',
          requestId: harness.target.calls[0]?.request.requestId,
          hint: 'do this',
        },
      },
    })
  })

  it.each<[CallFailure['outcome'], string]>([
    [0, 'not_sent'],
    [1, 'unknown'],
    [3, 'not_sent'],
  ])('with outcome %i has delivery %s', async (outcome, delivery) => {
    harness.target.script = (call) => call.fail({ outcome })
    expect(JSON.parse((await ask('legacy')).body).error.data.causeway.delivery).toBe(delivery)
    const label = outcome === 3 ? 'session_lost' : delivery
    expect(harness.metrics.value('causeway_exchanges_total', { side: 'edge', outcome: label })).toBe(1)
  })

  it.each<[FailureCode, number]>([
    ['NotDelivered', 503],
    ['MethodUnsupported', 503],
    ['TooLarge', 413],
  ])('on server/discover, %s: %i, so that nobody takes the server for a legacy one', async (code, status) => {
    harness.target.script = (call) => call.fail({ code })
    expect((await ask('modern', 'server/discover')).status).toBe(status)
  })

  it('too large for the peer: 413', async () => {
    harness.target.script = (call) => call.fail({ code: 'TooLarge', message: 'larger than 65536 octets' })
    const answer = await ask('legacy')
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body).error).toMatchObject({ code: -33113, message: 'larger than 65536 octets' })
  })

  it('with an HTTP error of the backend replays its status around the own body', async () => {
    harness.target.script = (call) => call.fail({ outcome: 1, status: 502 })
    const answer = await ask('modern', 'server/discover')
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.body).error.code).toBe(-33110)
    harness.target.script = (call) => call.fail({ outcome: 1, status: 200 })
    expect((await ask('modern', 'server/discover')).status).toBe(503)
  })

  it('names when to come back, where the target knows', async () => {
    harness.target.script = (call) => call.fail({ code: 'QuotaExceeded', status: 503, retryAfter: '7' })
    const answer = await ask('legacy')
    expect({ status: answer.status, retryAfter: answer.headers['retry-after'] }).toEqual({
      status: 503,
      retryAfter: '7',
    })
  })

  it('says nothing of when to come back, where that is no header', async () => {
    harness.target.script = (call) => call.fail({ retryAfter: '7\r\nSet-Cookie: a=b' })
    const { headers } = await ask('legacy')
    expect([headers['retry-after'], headers['set-cookie']]).toEqual([undefined, undefined])
  })

  it('ends a stream that has begun with the error as its last event', async () => {
    harness.target.script = (call) => {
      call.notify('{"jsonrpc":"2.0","method":"notifications/message"}')
      call.fail({ code: 'SafetyPolicy', outcome: 0 })
    }
    const answer = await ask('modern')
    expect(answer.status).toBe(200)
    const [, last] = eventTexts(answer.body)
    expect(JSON.parse(last ?? '')).toMatchObject({ id: 1, error: { code: -33111 } })
  })

  it('is logged with what is needed to find it, and without octets of the message', async () => {
    harness.target.script = (call) => call.fail()
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await harness.client.post(legacy('tools/call', { name: 'secret' }), { traceparent: trace })
    expect(harness.log).toHaveLength(1)
    expect(harness.log[0]).toMatchObject({
      level: 'warn',
      route: 'default/mcp',
      target: 'backend/default/scripted',
      method: 'tools/call',
      requestId: harness.target.calls[0]?.request.requestId,
      traceId: '0af7651916cd43dd8448eb211c80319c',
      code: 'NotDelivered',
      delivery: 'not_sent',
    })
    expect(JSON.stringify(harness.log)).not.toContain('secret')
  })

  it('is logged under the name that the relay of the peer has for it', async () => {
    harness.target.script = (call) => call.fail({ exchange: '0123456789abcdef/1' })
    await harness.client.post(legacy('tools/call'))
    expect(harness.log[0]).toMatchObject({ exchange: '0123456789abcdef/1' })
  })

  it('and was cancelled closes without any response', async () => {
    harness.target.script = (call) => call.fail({ outcome: 2 })
    const answer = await ask('legacy')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/event-stream')
    expect(answer.body).toBe('')
    harness.target.script = (call) => {
      call.notify('{"jsonrpc":"2.0","method":"notifications/message"}')
      call.fail({ outcome: 2 })
    }
    expect(eventTexts((await ask('legacy')).body)).toHaveLength(1)
    harness.target.script = (call) => call.fail({ outcome: 2 })
    expect((await harness.client.post(INITIALIZE)).body).toBe('')
  })
})

describe('JSON or event stream', () => {
  it('is JSON where the reply comes first', async () => {
    harness.target.script = (call) => call.result()
    expect((await ask('modern')).headers['content-type']).toBe('application/json')
  })

  it('is a stream from the first notification on, and each event leaves at once', async () => {
    const sent = harness.client.send(legacy('tools/call'))
    const call = await harness.target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await sent.head()
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    await answer.text((text) => text.includes('{"n":1}'))
    call.notify('{"n":2}')
    await answer.text((text) => text.includes('{"n":2}'))
    call.result('{"r":1}')
    expect(eventTexts((await answer.whole()).body)).toEqual(['{"n":1}', '{"n":2}', '{"r":1}'])
  })

  it('is a stream with a comment when nothing has come for 15 s, and every 15 s of silence has another', async () => {
    const sent = harness.client.send(legacy('tools/call'))
    const call = await harness.target.callNumber(0)
    harness.clock.advance(14_999)
    harness.clock.advance(1)
    const answer = await sent.head()
    expect(await answer.text((text) => text.length > 0)).toBe(':\n\n')
    harness.clock.advance(15_000)
    await answer.text((text) => text === ':\n\n:\n\n')
    call.notify('{"n":1}')
    harness.clock.advance(14_999)
    call.result('{"r":1}')
    expect((await answer.whole()).body).toBe(
      ':\n\n:\n\nevent: message\ndata: {"n":1}\n\nevent: message\ndata: {"r":1}\n\n',
    )
    expect(harness.clock.pending).toBe(0)
  })

  it('waits for the reply on server/discover, as its status depends on it', async () => {
    const sent = harness.client.send(modern('server/discover'), modernHeaders('server/discover'))
    const call = await harness.target.callNumber(0)
    harness.clock.advance(60_000)
    call.notify('{"n":1}')
    call.fail()
    expect((await sent.head()).status).toBe(503)
  })

  it('is bounded while it waits', async () => {
    const small = await edgeHarness({ limits: { maxBufferedOctets: 10 } })
    const sent = small.client.send(modern('server/discover'), modernHeaders('server/discover'))
    const call = await small.target.callNumber(0)
    call.notify('{"n":1}')
    expect(call.cancels).toEqual([])
    call.notify('{"n":2}')
    expect(call.cancels).toEqual(['deadline'])
    expect((await sent.head()).status).toBe(503)
    expect(small.log).toMatchObject([{ level: 'warn', requestId: call.request.requestId }])
    small.client.close()
    await small.edge.stop(0)
  })
})

describe('the memory of a large reply', () => {
  const large = `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(3_000_000)}"}}`

  it.each(['as JSON', 'as an event'])('is given back when the client has it all, %s', async (how) => {
    const released: number[] = []
    const octets = Buffer.from(large)
    harness.target.script = (call) => {
      if (how === 'as an event') call.notify('{"n":1}')
      call.result('', { octets, release: () => released.push(octets.fill(0).length) })
      expect(released).toEqual([])
    }
    const answer = await ask('modern')
    expect(how === 'as JSON' ? answer.body : eventTexts(answer.body).at(-1)).toBe(large)
    expect(released).toEqual([large.length])
  })
})

describe('what is counted', () => {
  it('is each exchange once, by outcome, with its duration, and each response by status', async () => {
    const sent = harness.client.send(legacy('tools/call'))
    const call = await harness.target.callNumber(0)
    expect(harness.edge.openExchanges).toBe(1)
    expect(harness.metrics.value('causeway_exchanges_open', { side: 'edge' })).toBe(1)
    call.result()
    await (await sent.head()).whole()
    harness.target.script = (one) => one.error(error('-32000'))
    await ask('legacy')
    expect(harness.edge.openExchanges).toBe(0)
    expect(harness.metrics.value('causeway_exchanges_open', { side: 'edge' })).toBe(0)
    for (const outcome of ['result', 'error']) {
      expect(harness.metrics.value('causeway_exchanges_total', { side: 'edge', outcome })).toBe(1)
    }
    expect(harness.metrics.value('causeway_http_responses_total', { status: '200' })).toBe(2)
    expect(harness.clock.pending).toBe(0)
  })
})
