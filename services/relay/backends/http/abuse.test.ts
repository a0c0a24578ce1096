import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest } from '../../../../test/fixtures/http/http-backend-harness.ts'
import {
  changed,
  INITIALIZED,
  listeningWorld,
  openedWorld,
  ping,
  result,
} from '../../../../test/fixtures/http/legacy-world.ts'
import { AskableSink } from '../../../../test/fixtures/http/recording-client.ts'
import type { Arrival } from '../../../../test/fixtures/http/scripted-server.ts'

const text = `{"jsonrpc":"2.0","id":1,"result":{"t":"größe 漢字 🜚","e":"\\ud83d\\ude00"}}`
const note = '{"jsonrpc":"2.0","method":"notifications/x","params":{"t":"é漢🜚"}}'

/** Writes the pieces one by one, each in a turn of its own, so that they come in as many chunks. */
async function trickle(arrival: Arrival, pieces: readonly Uint8Array[]): Promise<void> {
  arrival.socket.setNoDelay(true)
  for (const piece of pieces) await new Promise((resolve) => arrival.response.write(piece, resolve))
  arrival.response.end()
}

/** Its answer to `ping(1)`, given by `answer`. */
async function answered(answer: (arrival: Arrival) => unknown) {
  const world = await openedWorld()
  const { sink } = world.call(ping(1))
  await answer(await world.server.next())
  return { ...world, sink }
}

describe('an answer that is written in an odd way', () => {
  it.each<[string, string]>([
    ['line feeds', `data: ${note}\n\ndata: ${text}\n\n`],
    ['carriage returns alone', `data: ${note}\r\rdata: ${text}\r\r`],
    ['both', `data: ${note}\r\n\r\ndata: ${text}\r\n\r\n`],
    ['a byte order mark first', `\ufeffdata: ${note}\n\ndata: ${text}\n\n`],
    ['no blank behind the colon', `data:${note}\n\ndata:${text}\n\n`],
  ])(`${requirement('MCP-002')} with %s is read the same, split at every octet`, async (_, stream) => {
    const { sink } = await answered((arrival) => {
      arrival.stream()
      return trickle(
        arrival,
        [...Buffer.from(stream)].map((octet) => Uint8Array.of(octet)),
      )
    })
    expect(await sink.replyText()).toBe(text)
    expect(sink.notifications).toEqual([note])
  })

  it('of JSON is read the same, split at every octet', async () => {
    const { sink } = await answered((arrival) => {
      arrival.response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
      return trickle(
        arrival,
        [...Buffer.from(text)].map((octet) => Uint8Array.of(octet)),
      )
    })
    expect(await sink.replyText()).toBe(text)
  })

  it('over very many data lines is one message, joined by line feeds', async () => {
    const lines = ['{"jsonrpc":"2.0","id":1,"result":[', ...Array.from({ length: 50_000 }, (_, n) => `${n},`), '0]}']
    const { sink } = await answered((arrival) => {
      arrival
        .stream()
        .raw(`${lines.map((line) => `data: ${line}`).join('\n')}\n\n`)
        .end()
    })
    expect(await sink.replyText()).toBe(lines.join('\n'))
  })

  it.each(['json', 'event'])('of 10 MB in one %s comes whole', async (how) => {
    const large = `{"jsonrpc":"2.0","id":1,"result":"${'é'.repeat(5 * 1024 * 1024)}"}`
    const { sink } = await answered((arrival) => {
      if (how === 'json') arrival.json(200, large)
      else arrival.stream().event(large).end()
    })
    expect((await sink.replyText()) === large).toBe(true)
  })

  it('of JSON with a byte order mark is none', async () => {
    const { sink } = await answered((arrival) => arrival.json(200, `\ufeff${result(1)}`))
    expect(await sink.failure()).toMatchObject({ outcome: 1 })
  })
})

describe('ids', () => {
  it.each([
    ['9007199254740993', '9007199254740993', '9007199254740992'],
    ['1', '1.0', '"1"'],
    ['1.0', '10e-1', '10'],
    ['"a\\u0062c"', '"abc"', '"a\\\\u0062c"'],
    ['"\\/"', '"/"', '"\\\\/"'],
    [`"${'x'.repeat(10_000)}"`, `"${'x'.repeat(10_000)}"`, `"${'x'.repeat(9_999)}"`],
    ['-0', '0', '-1'],
  ])(`${requirement('RPC-011')} %# are compared by type and value`, async (asked, same, other) => {
    const { scope, server, session, metrics } = await openedWorld()
    const sink = new AskableSink()
    const body = Buffer.from(`{"jsonrpc":"2.0","id":${asked},"method":"ping"}`)
    scope.call({ ...callRequest(ping(1)), session, idToken: Buffer.from(asked), octets: body }, sink)
    const arrival = await server.next()
    expect(arrival.body).toEqual(body)
    const reply = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{}}`
    arrival.stream().event(reply(other)).event(reply(same)).end()
    expect(await sink.replyText()).toBe(reply(same))
    const dropped = { backend: 'default/under-test', reason: 'unmatched_reply' }
    expect(metrics.value('causeway_backend_messages_dropped_total', dropped)).toBe(1)
  })

  it('that differ by type meet on one stream of a session and are told apart', async () => {
    const { get, call, server } = await listeningWorld()
    const stream = get.stream()
    const calls = [call(ping(1)), call(ping('1'))]
    for (const _ of calls) {
      const arrival = await server.next()
      arrival.stream()
    }
    stream.event(result('1')).event('{"jsonrpc":"2.0","id":1.0,"result":{}}')
    const texts = await Promise.all(calls.map(({ sink }) => sink.replyText()))
    expect(texts).toEqual(['{"jsonrpc":"2.0","id":1.0,"result":{}}', result('1')])
  })
})

describe('a server that', () => {
  it('accepts a request has not answered it, whatever stands in the body', async () => {
    const { sink } = await answered((arrival) => arrival.json(202, result(1)))
    expect(await sink.failure()).toMatchObject({
      outcome: 1,
      message: 'the backend accepted the request and did not answer it',
    })
  })

  it.each(['Accepted', result(1), 'x'.repeat(200_000)])(
    'answers a notification with a body is not listened to',
    async (body) => {
      const { notify, server, call } = await openedWorld()
      notify(INITIALIZED)
      const notification = await server.next()
      notification.json(202, body)
      const get = await server.next()
      get.json(405, '')
      const { sink } = call(ping(2))
      const arrival = await server.next()
      expect(arrival.text).toBe(ping(2))
      arrival.json(200, result(2))
      await sink.end
    },
  )

  it('answers twice, and a foreign id, is heard once', async () => {
    const { sink, metrics } = await answered((arrival) => {
      arrival.stream().event(result(7)).event(result(1)).event(result(1)).end()
    })
    expect(await sink.replyText()).toBe(result(1))
    await expect.poll(() => metrics.value('causeway_late_replies_total', { side: 'backend' })).toBe(1)
  })

  it('answers JSON where a stream was asked for is understood, with what it notifies', async () => {
    const { sink } = await answered((arrival) => arrival.json(200, changed(1)))
    expect(await sink.failure()).toMatchObject({ outcome: 1 })
    expect(sink.notifications).toEqual([changed(1)])
  })

  it('asks in a JSON body is answered, and the call has no answer', async () => {
    const { sink, server } = await answered((arrival) =>
      arrival.json(200, '{"jsonrpc":"2.0","id":3,"method":"roots/list"}'),
    )
    const asked = await sink.asked()
    expect(await sink.failure()).toMatchObject({ outcome: 1 })
    asked.reply('{"jsonrpc":"2.0","id":3,"result":{"roots":[]}}')
    const answer = await server.next()
    expect(answer.text).toContain('"roots":[]')
    answer.json(202, '')
  })
})
