import { OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { backendHarness, callRequest } from '../../../../test/fixtures/http/http-backend-harness.ts'
import { listeningWorld, openedWorld, ping, result } from '../../../../test/fixtures/http/legacy-world.ts'
import { AskableSink } from '../../../../test/fixtures/http/recording-client.ts'
import { scriptedServer } from '../../../../test/fixtures/http/scripted-server.ts'

const SAMPLE = '{"jsonrpc":"2.0", "id":1.0e1, "method":"sampling/createMessage","params":{"x":9007199254740993}}'
const sampled = '{"jsonrpc":"2.0","id":1.0e1,"result":{"role":"assistant"}}'

/** A call whose server has asked on its stream. */
async function asking(request = SAMPLE, options = {}) {
  const world = await openedWorld(options)
  const { sink, handle } = world.call(ping(1))
  const arrival = await world.server.next()
  const stream = arrival.stream().event(request)
  return { ...world, sink, handle, stream, asked: await sink.asked() }
}

describe("a request of the server's on the stream of a call", () => {
  it(`${requirement('MCP-012')} reaches the client of that call as it was written, and its answer the server`, async () => {
    const { asked, server, sink, stream, client } = await asking()
    expect([asked.text, asked.idText]).toEqual([SAMPLE, '1.0e1'])
    expect(asked.request).toMatchObject({ method: 'sampling/createMessage', effect: 2 })
    asked.reply(sampled)
    const answer = await server.next()
    expect([answer.text, answer.headers['mcp-session-id']]).toEqual([sampled, 'b-1'])
    answer.json(202, '')
    stream.event(result(1)).end()
    expect(await sink.replyText()).toBe(result(1))
    expect(client.notifications).toEqual([])
  })

  it('is answered in the order of the session, behind what was said before', async () => {
    const { asked, server, notify } = await asking()
    notify('{"jsonrpc":"2.0","method":"notifications/a"}')
    asked.reply(sampled)
    const first = await server.next()
    expect(first.text).toContain('notifications/a')
    first.json(202, '')
    const second = await server.next()
    expect(second.text).toBe(sampled)
    second.json(202, '')
  })

  it("passes the client's own error on", async () => {
    const { asked, server } = await asking()
    const error = '{"jsonrpc":"2.0","id":1.0e1,"error":{"code":-1,"message":"no"}}'
    asked.reply(error, 'error')
    const answer = await server.next()
    expect(answer.text).toBe(error)
    answer.json(202, '')
  })

  it.each([
    [OUTCOME.NOT_DELIVERED, 'not_sent'],
    [OUTCOME.UNKNOWN, 'unknown'],
    [OUTCOME.SESSION_LOST, 'unknown'],
  ] as const)('is answered with an error of ours when nobody answers it (outcome %i)', async (outcome, delivery) => {
    const { asked, server, metrics } = await asking()
    asked.fail({ code: 'NotDelivered', outcome, message: 'gone' })
    const answer = await server.next()
    expect(answer.text).toBe(
      '{"jsonrpc":"2.0","id":1.0e1,"error":{"code":-33110,"message":"gone",' +
        `"data":{"causeway":{"code":"NotDelivered","delivery":"${delivery}"}}}}`,
    )
    answer.json(202, '')
    expect(metrics.value('causeway_server_requests_answered_total', { side: 'backend' })).toBe(1)
  })

  it('goes on when its call has ended, and is answered then', async () => {
    const { asked, server, sink, stream } = await asking()
    stream.event(result(1)).end()
    await sink.end
    expect(asked.cancels).toEqual([])
    asked.reply(sampled)
    const answer = await server.next()
    expect(answer.text).toBe(sampled)
    answer.json(202, '')
  })

  it('is cancelled in the words of the server, ids compared by value, and then not answered', async () => {
    const { asked, server, sink, stream } = await asking()
    const words = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10,"reason":"late"}}'
    stream.event(words)
    await expect.poll(() => asked.cancels).toEqual([words])
    asked.fail({ code: 'NotDelivered', outcome: OUTCOME.CANCELLED, message: 'cancelled' })
    stream.event(result(1)).end()
    expect(await sink.replyText()).toBe(result(1))
    expect(sink.notifications).toEqual([])
    expect(server.arrivals).toHaveLength(2)
  })

  it('that was cancelled is answered all the same where the answer won the race', async () => {
    const { asked, server, stream } = await asking()
    stream.event('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}')
    await expect.poll(() => asked.cancels).toHaveLength(1)
    asked.reply(sampled)
    const answer = await server.next()
    expect(answer.text).toBe(sampled)
    answer.json(202, '')
  })

  it('passes words on that name no open request of the server', async () => {
    const { sink, stream, asked } = await asking()
    const words = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"10"}}'
    stream.event(words)
    await sink.notified(1)
    expect([sink.notifications, asked.cancels]).toEqual([[words], []])
  })

  it('is refused under an id that is open in the session, and the open one goes on', async () => {
    const { asked, server, stream } = await asking()
    stream.event('{"jsonrpc":"2.0","id":10,"method":"roots/list"}')
    const refusal = await server.next()
    expect(JSON.parse(refusal.text)).toMatchObject({
      id: 10,
      error: { code: -32600, data: { causeway: { code: 'InvalidRequest' } } },
    })
    refusal.json(202, '')
    asked.reply(sampled)
    const answer = await server.next()
    expect(answer.text).toBe(sampled)
    answer.json(202, '')
    stream.event('{"jsonrpc":"2.0","id":10,"method":"roots/list"}')
  })

  it('is refused when as many wait as may', async () => {
    const { server, stream, asked } = await asking(SAMPLE, { limits: { maxServerRequests: 1 } })
    stream.event('{"jsonrpc":"2.0","id":"other","method":"roots/list"}')
    const refusal = await server.next()
    expect(JSON.parse(refusal.text)).toMatchObject({
      id: 'other',
      error: { code: -33113, message: "1 requests of this server wait for the client's answer, a fixed limit" },
    })
    refusal.json(202, '')
    expect(asked.cancels).toEqual([])
  })

  it.each(['the client', 'the backend'] as const)(
    'is given up without a word when %s ends the session',
    async (who) => {
      const { asked, server, scope, session, call } = await asking()
      if (who === 'the client') scope.endSession(session, 'client')
      else {
        const { sink } = call(ping(2))
        const lost = await server.next()
        lost.json(404, '')
        await sink.end
      }
      if (who === 'the client') (await server.next()).json(200, '')
      else expect(asked.cancels).toEqual([undefined])
      const arrivals = server.arrivals.length
      asked.reply(sampled)
      asked.fail({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message: 'late' })
      expect(server.arrivals).toHaveLength(arrivals)
    },
  )
})

describe("a request of the server's on the stream of the session", () => {
  it(`${requirement('MCP-012')} reaches the client of the session, whose answer goes back`, async () => {
    const { get, client, server } = await listeningWorld()
    get.stream().event(SAMPLE)
    const asked = await client.asked()
    expect(asked.text).toBe(SAMPLE)
    asked.reply(sampled)
    const answer = await server.next()
    expect(answer.text).toBe(sampled)
    answer.json(202, '')
  })

  it('shares its ids with those on the streams of calls', async () => {
    const { get, client, server, call } = await listeningWorld()
    const stream = get.stream().event(SAMPLE)
    const asked = await client.asked()
    const { sink } = call(ping(1))
    const arrival = await server.next()
    const answer = arrival.stream().event(SAMPLE)
    const refusal = await server.next()
    expect(refusal.text).toContain('-32600')
    refusal.json(202, '')
    const words = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}'
    answer.event(words).event(result(1)).end()
    await sink.end
    expect(asked.cancels).toEqual([words])
    stream.end()
  })
})

describe("a request of the server's outside any session", () => {
  it('reaches the client of its call, and is given up with it', async () => {
    const server = await scriptedServer()
    const { scope, backend } = backendHarness(server.url)
    const sink = new AskableSink()
    scope.call(callRequest(ping(1)), sink)
    const arrival = await server.next()
    const stream = arrival.stream().event(SAMPLE).event('{"jsonrpc":"2.0","id":2,"method":"roots/list"}')
    const [first, second] = [await sink.asked(), await sink.asked()]
    first.reply(sampled)
    const answer = await server.next()
    expect([answer.text, answer.headers]).toEqual([sampled, expect.not.objectContaining({ 'mcp-session-id': '' })])
    answer.json(202, '')
    stream.event(result(1)).end()
    await sink.end
    expect(second.cancels).toEqual([undefined])
    await Promise.all([backend.close(), server.close()])
  })
})
