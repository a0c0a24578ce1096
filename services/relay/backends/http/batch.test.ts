import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { call, callRequest, modernBody } from '../../../../test/fixtures/http/http-backend-harness.ts'
import { changed, listeningWorld, openedWorld, ping, result } from '../../../../test/fixtures/http/legacy-world.ts'
import type { Arrival } from '../../../../test/fixtures/http/scripted-server.ts'

const spelled = '{ "id" : 1.0 ,"jsonrpc":"2.0", "result":{"z":1e0,"a":[ ]} }'
const batch = `[ ${changed(1)} ,\n ${changed(2)},${spelled}]`

describe('a batch of 2025-03-26', () => {
  it.each<[string, (arrival: Arrival, text: string) => void]>([
    ['a JSON body', (arrival, text) => arrival.json(200, text)],
    ['an event', (arrival, text) => arrival.stream().event(text.replaceAll('\n', '\ndata: ')).end()],
  ])(`${requirement('MCP-005')} in %s is sliced, and each message told as it was written`, async (_, answer) => {
    const { call: inSession, server } = await openedWorld({}, { version: '2025-03-26' })
    const { sink } = inSession(ping(1))
    answer(await server.next(), batch)
    expect(await sink.replyText()).toBe(spelled)
    expect(sink.notifications).toEqual([changed(1), changed(2)])
  })

  it.each<[string, (arrival: Arrival, text: string) => void]>([
    ['a JSON body', (arrival, text) => arrival.json(200, text)],
    ['an event', (arrival, text) => arrival.stream().event(text.replaceAll('\n', '\ndata: ')).end()],
  ])('in %s waits between its messages where the receiver has no room', async (_, answer) => {
    const { call: inSession, server } = await openedWorld()
    const { sink, handle } = inSession(ping(1))
    sink.answer = 'wait'
    answer(await server.next(), batch)
    await sink.notified(1)
    expect([sink.notifications, sink.ends]).toEqual([[changed(1)], []])
    handle.resume()
    expect([sink.notifications, sink.ends]).toEqual([[changed(1), changed(2)], []])
    handle.resume()
    expect(await sink.replyText()).toBe(spelled)
  })

  it('on the stream of a session is sliced too, with what it asks and what nobody understands', async () => {
    const { get, client, metrics } = await listeningWorld()
    get.stream().event(`[${changed(1)},{},[],{"jsonrpc":"2.0","id":1,"method":"roots/list"},${changed(2)}]`)
    const asked = await client.asked()
    expect(asked.text).toBe('{"jsonrpc":"2.0","id":1,"method":"roots/list"}')
    await client.notified(2)
    const rubbish = { backend: 'default/under-test', reason: 'not_json_rpc' }
    expect(metrics.value('causeway_backend_messages_dropped_total', rubbish)).toBe(2)
  })

  it.each([
    ['is empty', '[]', {}],
    ['holds more messages than may be', `[${changed(1)},${changed(2)},${result(1)}]`, { maxBatchMessages: 2 }],
    ['is no JSON', `[${result(1)}`, {}],
  ])('that %s is no answer', async (_, text, limits) => {
    const { call: inSession, server } = await openedWorld({ limits })
    const { sink } = inSession(ping(1))
    const arrival = await server.next()
    arrival.json(200, text)
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(sink.notifications).toEqual([])
  })

  it('does not exist in the modern era', async () => {
    const { scope, server } = await openedWorld()
    const { sink } = call(scope, callRequest(modernBody(1, 'tools/list'), { era: 'modern' }))
    const arrival = await server.next()
    arrival.json(200, `[${result(1)}]`)
    expect(await sink.failure()).toMatchObject({ outcome: 1 })
  })
})
