import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf } from '../../../../test/fixtures/edge/asked.ts'
import {
  type EdgeHarness,
  edgeHarness,
  legacy,
  modern,
  modernHeaders,
  openSession,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { eventTexts } from '../../../../test/fixtures/edge/http-client.ts'
import type { ScriptedCall } from '../../../../test/fixtures/edge/scripted-target.ts'

let harness: EdgeHarness
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

/** Resolves with what the listener says of a request that does not come to its end. */
function tooSlow(): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(harness.listener.address.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('close', () => resolve(text))
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
  })
}

describe('the time in which a request must come', () => {
  it('ends requests that are slow to come with 408, and no stream and no silent call however old', async () => {
    harness = await edgeHarness({ limits: { requestArrivalMs: 100 } })
    const headers = await openSession(harness)
    const general = await harness.client.events(headers)
    const silent = harness.client.send(legacy('tools/call'), headers)
    const call = await harness.target.callNumber(1)
    const listening = harness.client.send(modern('subscriptions/listen'), modernHeaders('subscriptions/listen'))
    const subscription = await harness.target.callNumber(2)
    subscription.notify('{"ack":1}')
    // Each takes longer than the whole limit.
    for (let count = 0; count < 3; count++) expect(await tooSlow()).toMatch(/^HTTP\/1.1 408 /)
    clientOf(harness.target.calls[0] as ScriptedCall).notification(Buffer.from('{"general":1}'), () => {})
    await general.text((text) => text.includes('{"general":1}'))
    call.result('{"r":1}')
    expect(eventTexts((await (await silent.head()).whole()).body)).toEqual(['{"r":1}'])
    subscription.result('{"r":2}')
    expect(eventTexts((await (await listening.head()).whole()).body)).toEqual(['{"ack":1}', '{"r":2}'])
  })
})

describe('a silent call of eleven minutes', () => {
  it.each(['modern', 'legacy', 'legacy in a session'])('is answered: %s', async (how) => {
    harness = await edgeHarness()
    const headers = how === 'legacy in a session' ? await openSession(harness) : {}
    const sent =
      how === 'modern'
        ? harness.client.send(modern('tools/list'), modernHeaders('tools/list'))
        : harness.client.send(legacy('tools/call'), headers)
    const call = await harness.target.callNumber(how === 'legacy in a session' ? 1 : 0)
    for (let minute = 0; minute < 11; minute++) harness.clock.advance(60_000)
    expect(call.cancels).toEqual([])
    call.result('{"r":1}')
    const { body } = await (await sent.head()).whole()
    expect(eventTexts(body)).toEqual(['{"r":1}'])
    expect(body.match(/^:$/gm)?.length).toBeGreaterThanOrEqual(42)
  })
})

describe('the end of a subscription', () => {
  const listen = () => harness.client.send(modern('subscriptions/listen'), modernHeaders('subscriptions/listen'))

  it('by the server is its result, behind everything else', async () => {
    harness = await edgeHarness()
    const sent = listen()
    const call = await harness.target.callNumber(0)
    call.notify('{"ack":1}')
    call.notify('{"changed":1}')
    call.result()
    const { body } = await (await sent.head()).whole()
    expect(eventTexts(body)).toEqual(['{"ack":1}', '{"changed":1}', '{"jsonrpc":"2.0","id":1,"result":{}}'])
    expect(body).not.toContain('id: ')
  })

  it('may be notifications/cancelled of the server, and no response', async () => {
    harness = await edgeHarness()
    const sent = listen()
    const call = await harness.target.callNumber(0)
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    call.notify(cancelled)
    call.fail({ outcome: 2 })
    expect(eventTexts((await (await sent.head()).whole()).body)).toEqual([cancelled])
    expect(harness.log).toEqual([])
  })

  it('by the client is that it closes, or its own notifications/cancelled, which the target gets as written', async () => {
    harness = await edgeHarness()
    const sent = listen()
    const call = await harness.target.callNumber(0)
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}'
    const taken = await harness.client.post(cancelled, { 'mcp-protocol-version': '2026-07-28' })
    expect(taken.status).toBe(202)
    expect(Buffer.from(harness.target.notifications[0]?.octets ?? []).toString()).toBe(cancelled)
    expect(harness.target.notifications[0]?.era).toBe('modern')
    sent.disconnect()
    await harness.target.until(() => call.cancels.length > 0)
    expect(call.cancels).toEqual(['disconnect'])
  })
})
