import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  type EdgeHarnessOptions,
  edgeHarness,
  INITIALIZE,
  legacy,
  modern,
  modernHeaders,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { eventTexts } from '../../../../test/fixtures/edge/http-client.ts'

let harness: EdgeHarness
async function edge(options: EdgeHarnessOptions = {}): Promise<EdgeHarness> {
  harness = await edgeHarness(options)
  return harness
}
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

const LISTEN: [string, Record<string, string>] = [modern('subscriptions/listen'), modernHeaders('subscriptions/listen')]
const CALL: [string, Record<string, string>] = [modern('tools/list'), modernHeaders('tools/list')]

function outcome(label: string): number {
  return harness.metrics.value('causeway_exchanges_total', { side: 'edge', outcome: label })
}

describe('a client that goes away', () => {
  it('cancels its request in the modern era, and what still comes is dropped and counted', async () => {
    const { client, target, metrics } = await edge()
    const sent = client.send(...CALL)
    const call = await target.callNumber(0)
    sent.disconnect()
    await target.until(() => call.cancels.length > 0)
    expect(call.cancels).toEqual(['disconnect'])
    expect(call.notify('{"n":1}')).toBe('ok')
    call.result()
    expect(metrics.value('causeway_notifications_dropped_total', { reason: 'client_gone' })).toBe(1)
    expect(metrics.value('causeway_late_replies_total', { side: 'edge' })).toBe(1)
    expect(outcome('disconnect')).toBe(1)
    expect(harness.edge.openExchanges).toBe(0)
  })

  it('cancels in the middle of a stream too', async () => {
    const { client, target } = await edge()
    const sent = client.send(...LISTEN)
    const call = await target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await sent.head()
    answer.disconnect()
    await target.until(() => call.cancels.length > 0)
    expect(call.cancels).toEqual(['disconnect'])
    call.fail({ outcome: 2 })
    expect(harness.log).toEqual([])
  })

  it('cancels all that it had asked on one connection, also what was still to be answered', async () => {
    const { listener, target } = await edge()
    const socket = connect(listener.address.port, '127.0.0.1')
    const [body, headers] = CALL
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines.join('')}`
    const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`
    socket.write(`${request}${request}${request}`)
    await target.callNumber(2)
    socket.destroy()
    await target.until(() => target.calls.every((call) => call.cancels.length > 0))
    expect(target.calls.map((call) => call.cancels)).toEqual([['disconnect'], ['disconnect'], ['disconnect']])
  })

  it('cancels nothing in the legacy era: the call goes on, and its answer is dropped and counted', async () => {
    const { client, target, metrics, clock } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    sent.disconnect()
    await target.until(() => call.resumes > 0)
    clock.advance(60_000)
    expect(call.notify('{"n":1}')).toBe('ok')
    call.result()
    expect(call.cancels).toEqual([])
    expect(metrics.value('causeway_late_replies_total', { side: 'edge' })).toBe(1)
    expect(outcome('disconnect')).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it('before its body is whole leaves nothing behind', async () => {
    const { listener, target, client } = await edge()
    const socket = connect(listener.address.port, '127.0.0.1')
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    socket.destroy()
    target.script = (call) => call.result()
    expect((await client.post(legacy('ping'))).status).toBe(200)
    expect(target.calls).toHaveLength(1)
  })
})

describe('a deadline', () => {
  const routeLimits = { requestTimeoutMs: 1_000 }

  it('cancels the call and tells the client that its fate is unknown', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    clock.advance(999)
    expect(call.cancels).toEqual([])
    expect(call.resumes).toBe(0)
    clock.advance(1)
    expect(call.cancels).toEqual(['deadline'])
    // A source that waited for this client would never come to its end.
    expect(call.resumes).toBe(1)
    const answer = await (await sent.head()).whole()
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({
      id: 1,
      error: { code: -33110, data: { causeway: { code: 'NotDelivered', delivery: 'unknown' } } },
    })
    call.result()
    expect(outcome('deadline')).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it('begins anew with each related notification', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    for (let count = 0; count < 5; count++) {
      clock.advance(900)
      call.notify(`{"n":${count}}`)
    }
    expect(call.cancels).toEqual([])
    clock.advance(1_000)
    expect(call.cancels).toEqual(['deadline'])
    const texts = eventTexts((await (await sent.head()).whole()).body)
    expect(texts).toHaveLength(6)
    expect(JSON.parse(texts[5] ?? '').error.data.causeway.delivery).toBe('unknown')
  })

  it('never ends a subscription', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(...LISTEN)
    const call = await target.callNumber(0)
    clock.advance(3_600_000)
    expect(call.cancels).toEqual([])
    call.result()
    expect((await sent.head()).status).toBe(200)
  })

  it('is none where the route has none', async () => {
    const { client, target, clock } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    clock.advance(24 * 3_600_000)
    call.result()
    expect(eventTexts((await (await sent.head()).whole()).body)).toHaveLength(1)
    expect(call.cancels).toEqual([])
  })

  it('also ends a call whose legacy client has gone', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    sent.disconnect()
    await target.until(() => call.resumes > 0)
    clock.advance(1_000)
    expect(call.cancels).toEqual(['deadline'])
  })

  it('does not end a call that makes progress though its legacy client has gone', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    sent.disconnect()
    await target.until(() => call.resumes > 0)
    for (let count = 0; count < 5; count++) {
      clock.advance(900)
      call.notify(`{"n":${count}}`)
    }
    expect(call.cancels).toEqual([])
    clock.advance(1_000)
    expect(call.cancels).toEqual(['deadline'])
  })

  it('on server/discover is 503', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(modern('server/discover'), modernHeaders('server/discover'))
    await target.callNumber(0)
    clock.advance(1_000)
    expect((await sent.head()).status).toBe(503)
  })

  it('on initialize leaves no session', async () => {
    const { client, target, clock } = await edge({ routeLimits })
    const sent = client.send(INITIALIZE)
    const call = await target.callNumber(0)
    clock.advance(1_000)
    expect((await sent.head()).headers['mcp-session-id']).toBeUndefined()
    call.result()
    expect(harness.edge.openSessions).toBe(0)
    expect(target.ended).toHaveLength(1)
  })
})

describe('a client that takes nothing', () => {
  const BIG = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: 'x'.repeat(1_000_000) })

  it('makes the source wait, and lets it go on when it takes again', async () => {
    const { client, target } = await edge({ limits: { maxBufferedOctets: 64_000_000 } })
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await sent.head()
    answer.pause()
    let count = 0
    while (call.notify(BIG) === 'ok') count++
    expect(count).toBeLessThan(30)
    expect(call.resumes).toBe(0)
    answer.resume()
    await target.until(() => call.resumes > 0)
    expect(call.notify('{"n":2}')).toBe('ok')
    call.result('{"r":1}')
    const texts = eventTexts((await answer.whole()).body)
    expect(texts).toHaveLength(1 + count + 1 + 2)
    expect(texts.at(-1)).toBe('{"r":1}')
  })

  it('loses its exchange alone when too much waits for it, and is told so', async () => {
    const { client, target } = await edge({ limits: { maxBufferedOctets: 3_000_000 } })
    const slow = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await slow.head()
    answer.pause()
    for (let count = 0; count < 40 && call.cancels.length === 0; count++) call.notify(BIG)
    expect(call.cancels).toEqual(['deadline'])
    call.fail({ outcome: 2 })
    // Behind what waited for it, a client that takes again is told so.
    answer.resume()
    const last = eventTexts((await answer.whole()).body).at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({
      id: 1,
      error: { code: -33110, data: { causeway: { delivery: 'unknown' } } },
    })
    expect(last).toContain('3000000 octets of this answer waited for the client')
    expect(outcome('slow_client')).toBe(1)
    target.script = (one) => one.result()
    expect((await client.post(legacy('ping'))).status).toBe(200)
  })

  it('loses its exchange alone after 30 s without progress', async () => {
    const { client, target, clock } = await edge({ limits: { maxBufferedOctets: 64_000_000 } })
    const slow = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await slow.head()
    answer.pause()
    while (call.notify(BIG) === 'ok');
    clock.advance(29_999)
    expect(call.cancels).toEqual([])
    clock.advance(1)
    expect(call.cancels).toEqual(['deadline'])
    answer.resume()
    await answer.broken()
    call.fail({ outcome: 2 })
    expect(clock.pending).toBe(0)
  })

  it('loses a reply that it does not take for 30 s', async () => {
    const { client, target, clock } = await edge()
    const slow = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    const head = slow.head()
    call.result(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(40_000_000)}"}`)
    const answer = await head
    answer.pause()
    await answer.text((text) => text.length > 0)
    expect(harness.edge.openExchanges).toBe(0)
    // The client took a little before it paused: from then on there is no progress.
    clock.advance(60_000)
    answer.resume()
    await answer.broken()
    expect(clock.pending).toBe(0)
  })
})

describe('stopping', () => {
  it('waits for open exchanges, and closes their connections behind them', async () => {
    const { edge: served, client, target } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    const stopped = served.stop(10_000)
    expect(call.cancels).toEqual([])
    call.result()
    const answer = await (await sent.head()).whole()
    expect(answer.status).toBe(200)
    expect(answer.headers.connection).toBe('close')
    await stopped
    expect(harness.clock.pending).toBe(0)
  })

  it('closes a stream that began earlier once it has ended', async () => {
    const { edge: served, client, target } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await sent.head()
    const stopped = served.stop(10_000)
    call.result('{"r":1}')
    expect(eventTexts((await answer.whole()).body)).toEqual(['{"n":1}', '{"r":1}'])
    await stopped
  })

  it('refuses new requests on open connections with 503 and Retry-After', async () => {
    const { edge: served, listener, client, target } = await edge()
    const open = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    // Its body comes after the stop.
    const socket = connect(listener.address.port, '127.0.0.1')
    const text = new Promise<string>((resolve) => {
      let all = ''
      socket.on('data', (chunk) => {
        all += chunk.toString()
      })
      socket.on('close', () => resolve(all))
    })
    const body = legacy('ping')
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    await new Promise<void>((resolve) => socket.write('POST /mcp HTTP/1.1\r\nHost: loc', () => resolve()))
    const stopped = served.stop(10_000)
    socket.write(`${head.slice('POST /mcp HTTP/1.1\r\nHost: loc'.length)}${body}`)
    const refused = await text
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/\r\nRetry-After: 5\r\n/)
    expect(refused).toMatch(/\r\nConnection: close\r\n/)
    call.result()
    await (await open.head()).whole()
    await stopped
    expect(target.calls).toHaveLength(1)
  })

  it('fails what is left when its time is over, and says that the fate is unknown', async () => {
    const { edge: served, client, target, clock } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    const stopped = served.stop(10_000)
    clock.advance(10_000)
    expect(call.cancels).toEqual(['deadline'])
    const answer = await (await sent.head()).whole()
    expect(JSON.parse(answer.body).error.data.causeway).toMatchObject({ code: 'NotDelivered', delivery: 'unknown' })
    const { requestId } = call.request
    expect(JSON.parse(answer.body).error.data.causeway.requestId).toBe(requestId)
    expect(harness.log).toMatchObject([{ level: 'warn', msg: 'a call was ended because the relay stops', requestId }])
    await stopped
    call.fail({ outcome: 2 })
    expect(outcome('stopped')).toBe(1)
  })

  it('does not wait for subscriptions, which would never end', async () => {
    const { edge: served, client, target } = await edge()
    const sent = client.send(...LISTEN)
    const call = await target.callNumber(0)
    call.notify('{"n":1}')
    const answer = await sent.head()
    const stopped = served.stop(10_000)
    expect(call.cancels).toEqual(['deadline'])
    const [, last] = eventTexts((await answer.whole()).body)
    expect(JSON.parse(last ?? '').error.code).toBe(-33110)
    expect(harness.log).toEqual([])
    await stopped
  })

  it('is hastened by a second request to stop', async () => {
    const { edge: served, client, target } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    const slow = served.stop(10_000)
    const fast = served.stop(0)
    expect(call.cancels).toEqual(['deadline'])
    expect((await sent.head()).status).toBe(200)
    await Promise.all([slow, fast])
    expect(harness.clock.pending).toBe(0)
  })

  it('ends calls whose clients left', async () => {
    const { edge: served, client, target } = await edge()
    const sent = client.send(legacy('tools/call'))
    const call = await target.callNumber(0)
    sent.disconnect()
    await target.until(() => call.resumes > 0)
    await served.stop(10_000)
    expect(call.cancels).toEqual(['deadline'])
  })

  it('frees the port', async () => {
    const { edge: served, listener } = await edge()
    await served.stop(0)
    const again = await edgeHarness({ port: listener.address.port })
    expect(again.listener.address.port).toBe(listener.address.port)
    await again.edge.stop(0)
  })
})

describe('an address that cannot be had', () => {
  it('rejects with the error of the system', async () => {
    const { listener } = await edge()
    await expect(edgeHarness({ port: listener.address.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
