import { describe, expect, it } from 'vitest'
import { eventually } from '../integration/at-most-once/in-time.ts'
import { modernCall } from '../integration/clients.ts'
import { answerText, causewayOf, textsOf } from './legacy-client.ts'
import { type Asked, resultOf } from './legacy-server.ts'
import { openExchanges, sharedWorld } from './world.ts'

/**
 * A tool that says nothing for 11 minutes works, with the limits that could end it shortened: `long-silence.ts` does it for
 * real. The waiting is the server's.
 */
const IDLE_MS = 1_000
const SILENCE_MS = 2 * IDLE_MS + 500
const progress = (n: number) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${n}}}`

/** Answers after so long, on a stream that it has opened before, or in JSON. */
const late =
  (how: 'json' | 'stream') =>
  ({ arrival, id }: Asked): void => {
    const stream = how === 'stream' ? arrival.stream() : undefined
    setTimeout(() => {
      if (stream === undefined) arrival.json(200, resultOf(id))
      else stream.event(resultOf(id)).end()
    }, SILENCE_MS)
  }

describe.concurrent('a silence longer than the time after which an idle session ends', () => {
  const world = sharedWorld({ relaySpec: { limits: { idleSession: `${IDLE_MS}ms` } } })

  it.each(['json', 'stream'] as const)(
    'while a tool works (%s), both eras: it is answered, and its session lives',
    async (how) => {
      const client = await world.client()
      world.server.tool(`late ${how}`, late(how))
      const answers = await Promise.all([client.call('1', `late ${how}`), world.modern(`late ${how}`, '1')])
      expect(answers.map(answerText)).toEqual([resultOf('1'), resultOf('1')])
      expect((await client.call('2', 'any')).status).toBe(200)
    },
  )

  it('while a client only listens: its session lives, and what comes then arrives', async () => {
    const client = await world.client()
    world.server.tool('remind', ({ arrival, id, session }) => {
      arrival.json(200, resultOf(id))
      setTimeout(
        () => void world.server.stream(session).then((get) => get.response.write(`data: ${progress(9)}\n\n`)),
        SILENCE_MS,
      )
    })
    const listening = await client.listen()
    await client.call('1', 'remind')
    expect(textsOf(await listening.text((text) => text.includes('"progress":9')))).toEqual([progress(9)])
    expect((await client.call('2', 'any')).status).toBe(200)
    listening.disconnect()
  })

  it('while a client thinks about a question of the server: its answer arrives', async () => {
    const client = await world.client()
    world.server.tool('question', ({ arrival, id, session }) => {
      const stream = arrival.stream().event('{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}')
      void world.server
        .heard(session, (said) => said.includes(resultOf('1', '"thought"')))
        .then(() => stream.event(resultOf(id)).end())
    })
    const answer = await client.openCall('1', 'question')
    await answer.text((text) => text.includes('elicitation'))
    world.server.tool('pause', late('json'))
    await world.modern('pause', '1')
    expect((await client.post(resultOf('1', '"thought"'))).status).toBe(202)
    expect(textsOf((await answer.whole()).body).at(-1)).toBe(resultOf('1'))
  })

  it('when nobody does anything, the session ends: 404 for the client, DELETE for the server (class: reuse after idle, leaked sessions)', async () => {
    const client = await world.client()
    world.server.tool('who', ({ arrival, id, session }) => arrival.json(200, resultOf(id, `"${session}"`)))
    const name = JSON.parse((await client.call('1', 'who')).text).result as string
    await eventually('the server is told', () =>
      world.server.http.arrivals.some(
        ({ method, headers }) => method === 'DELETE' && headers['mcp-session-id'] === name,
      ),
    )
    const answer = await client.call('2', 'any')
    expect([answer.status, causewayOf(answer.body)]).toMatchObject([404, { code: 'SessionLost', delivery: 'not_sent' }])
  })
})

describe.concurrent('the deadline of a route', () => {
  const TIMEOUT_MS = 1_500
  const world = sharedWorld({ routeSpec: { limits: { requestTimeout: `${TIMEOUT_MS}ms` } } })

  it('ends a silent call with delivery unknown, and its server hears the cancel', async () => {
    const client = await world.client()
    const arrived = new Promise<Asked>((resolve) => world.server.tool('silent', resolve))
    const answer = await client.call('"s"', 'silent')
    expect(causewayOf(answerText(answer))).toMatchObject({ code: 'NotDelivered', delivery: 'unknown' })
    const said = await world.server.heard((await arrived).session, (all) =>
      all.some((text) => text.includes('cancelled')),
    )
    expect(JSON.parse(said.at(-1) ?? '').params.requestId).toBe('s')
    await eventually('nothing is open', () => openExchanges(world.mesh) === 0)
    expect((await client.call('2', 'any')).status).toBe(200)
  })

  it('is moved by every word of the call, both eras: one that takes twice as long is answered', async () => {
    const client = await world.client()
    world.server.tool('chatty', ({ arrival, id }) => {
      const stream = arrival.stream()
      let n = 0
      const timer = setInterval(() => {
        if (++n < 10) stream.event(progress(n))
        else {
          clearInterval(timer)
          stream.event(resultOf(id)).end()
        }
      }, TIMEOUT_MS / 5)
    })
    const answers = await Promise.all([client.call('1', 'chatty'), world.modern('chatty', '1')])
    for (const { body } of answers)
      expect(textsOf(body)).toEqual([...Array.from({ length: 9 }, (_, n) => progress(n + 1)), resultOf('1')])
  })

  it('is none for subscriptions and for streams of sessions', async () => {
    const client = await world.client()
    const listening = await client.listen()
    const { body, headers } = modernCall('x', {}, 'sub')
    const subscribe = body.replace('"tools/call"', '"subscriptions/listen"').replace('"name":"x"', '"name":"sub"')
    world.server.tool('sub', ({ arrival, id }) => {
      const stream = arrival
        .stream()
        .event('{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}')
      setTimeout(() => stream.event(resultOf(id)).end(), 1.5 * TIMEOUT_MS)
    })
    const changes = { ...headers, 'mcp-method': 'subscriptions/listen', 'mcp-name': undefined }
    const answer = await client.http.post(subscribe, changes, client.path)
    expect(textsOf(answer.body).at(-1)).toBe(resultOf('"sub"'))
    expect((await client.call('1', 'any')).status).toBe(200)
    expect(listening.octets.toString()).not.toContain('"error"')
    listening.disconnect()
  })
})
