import { describe, expect, it } from 'vitest'
import { eventTexts } from '../fixtures/edge/http-client.ts'
import { answerText, causewayOf, toolCall } from './legacy-client.ts'
import { type Asked, resultOf } from './legacy-server.ts'
import { openExchanges, sharedWorld } from './world.ts'

const world = sharedWorld()

/** The server holds the call until the test lets it go. */
function held(name: string): { readonly asked: Promise<Asked>; next(): Promise<Asked> } {
  const waiting: Asked[] = []
  const takers: ((asked: Asked) => void)[] = []
  world.server.tool(name, (asked) => {
    const taker = takers.shift()
    if (taker === undefined) waiting.push(asked)
    else taker(asked)
  })
  const next = (): Promise<Asked> => {
    const asked = waiting.shift()
    return asked === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(asked)
  }
  return {
    get asked() {
      return next()
    },
    next,
  }
}

describe('ids that everybody uses (class: proxies that key by the bare JSON-RPC id give answers to other clients)', () => {
  it('id 1 in a hundred sessions at once, for requests and for requests of the server, both at the same time', async () => {
    const sessions = 100
    // Each call asks its client first, under the same id 1, and answers with what that client said.
    world.server.tool('ask', ({ arrival, id, session }) => {
      const stream = arrival.stream()
      stream.event(`{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"_meta":{"of":"${session}"}}}`)
      void world.server
        .heard(session, (said) => said.some((text) => text.includes('"result"')))
        .then((said) => {
          const answer = said.find((text) => text.includes('"result"'))
          stream.event(resultOf(id, `{"session":"${session}","heard":${answer}}`)).end()
        })
    })
    const clients = await Promise.all(Array.from({ length: sessions }, () => world.client()))
    const answers = await Promise.all(clients.map((client) => client.openCall('1', 'ask')))
    const names = await Promise.all(
      answers.map(async (answer) => {
        const text = await answer.text((body) => body.includes('roots/list'))
        return /"of":"([^"]+)"/.exec(text)?.[1] ?? ''
      }),
    )
    // All hundred wait, each for its own client, in both directions under one id.
    expect(new Set(names).size).toBe(sessions)
    await Promise.all(
      clients.map((client, n) =>
        client.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///${names[n]}"}]}}`),
      ),
    )
    const wholes = await Promise.all(answers.map((answer) => answer.whole()))
    const seen = wholes.map((whole) => {
      const { result } = JSON.parse(answerText(whole))
      return [result.session, result.heard.result.roots[0].uri]
    })
    expect(seen).toEqual(names.map((name) => [name, `file:///${name}`]))
    expect(openExchanges(world.mesh)).toBe(0)
  })

  it('a client that sends id 1 for every request is told 400 while one is open, and never hears another call (class: pooled connectors)', async () => {
    const client = await world.client()
    const slow = held('slow')
    const first = client.call('1', 'slow', '{"who":"first"}')
    const { arrival, id } = await slow.asked
    const second = await client.call('1', 'slow', '{"who":"second"}')
    expect([second.status, JSON.parse(second.body)]).toMatchObject([400, { id: 1, error: { code: -32600 } }])
    arrival.json(200, resultOf(id, '{"for":"first"}'))
    expect((await first).text).toContain('"for":"first"')
    // Free again.
    expect((await client.call('1', 'any')).status).toBe(200)
  })

  it.each([
    ['1', '1.0'],
    ['1', '10e-1'],
    ['0', '-0'],
    ['100', '1E2'],
    ['"a"', '"\\u0061"'],
    ['"/"', '"\\/"'],
    ['"é"', '"\\u00e9"'],
    ['9007199254740993', '9007199254740993.0'],
  ])('%s and %s are one id: 400 while the first is open', async (one, other) => {
    const client = await world.client()
    const slow = held('slow')
    const first = client.call(one, 'slow')
    const asked = await slow.asked
    const second = await client.call(other, 'slow')
    expect([second.status, JSON.parse(second.body).error.code]).toEqual([400, -32600])
    asked.arrival.json(200, resultOf(asked.id))
    expect((await first).text).toBe(resultOf(one))
  })

  it.each([
    ['1', '"1"'],
    ['9007199254740992', '9007199254740993'],
    ['""', '"\\u0000"'],
    ['0.1', '0.10000000000000000001'],
    ['"a"', '"A"'],
    ['-1', '1'],
    ['1e400', '1e401'],
  ])('%s and %s are two ids: both are open at once, each with its own answer', async (one, other) => {
    const client = await world.client()
    const slow = held('slow')
    const first = client.call(one, 'slow')
    const a = await slow.asked
    const second = client.call(other, 'slow')
    const b = await slow.asked
    b.arrival.json(200, resultOf(b.id, '"second"'))
    a.arrival.json(200, resultOf(a.id, '"first"'))
    expect([a.id, b.id]).toEqual([one, other])
    expect([(await first).text, (await second).text]).toEqual([resultOf(one, '"first"'), resultOf(other, '"second"')])
  })

  it.each([
    ['0', '0'],
    ['of no character', '""'],
    ['-7', '-7'],
    ['2^53 + 1', '9007199254740993'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1.50', '1.50'],
    ['1e400', '1e400'],
    ['of escapes', '"\\ud83d\\ude00 \\u0007"'],
    ['"constructor"', '"constructor"'],
    ['"__proto__"', '"__proto__"'],
    ['of 10,000 characters', `"${'x'.repeat(10_000)}"`],
    ['of 10,000 digits', `1${'0'.repeat(9_999)}`],
  ])(
    'the id %s crosses as it is written, both eras, both directions (class: falsy ids, doubles, long ids)',
    async (_name, id) => {
      world.server.tool('echo', ({ arrival, id }) => {
        arrival.json(200, resultOf(id))
      })
      world.server.tool('ask', ({ arrival, id, session }) => {
        const stream = arrival.stream()
        stream.event(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
        void world.server
          .heard(session, (said) => said.some((text) => text.endsWith('"result":{}}')))
          .then((said) => {
            stream.event(resultOf(id, `[${said.at(-1)}]`)).end()
          })
      })
      expect((await world.modern('echo', id)).text).toBe(resultOf(id))
      const client = await world.client()
      const answer = await client.openCall(id, 'ask')
      await answer.text((body) => body.includes('"ping"'))
      await client.post(resultOf(id))
      const texts = eventTexts((await answer.whole()).body)
      expect(texts).toEqual([`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, resultOf(id, `[${resultOf(id)}]`)])
    },
  )

  it('two modern requests with an equal id on one connection are two calls', async () => {
    const slow = held('slow')
    const answers = [world.modern('slow', '1'), world.modern('slow', '1')]
    const [a, b] = [await slow.asked, await slow.asked]
    b.arrival.json(200, resultOf(b.id, '"b"'))
    a.arrival.json(200, resultOf(a.id, '"a"'))
    expect((await Promise.all(answers)).map(({ body }) => body).sort()).toEqual([
      resultOf('1', '"a"'),
      resultOf('1', '"b"'),
    ])
  })

  it('an answer to another id in the client of another session answers nothing', async () => {
    const [mine, stranger] = [await world.client(), await world.client()]
    world.server.tool('ask', ({ arrival, id, session }) => {
      const stream = arrival.stream()
      stream.event('{"jsonrpc":"2.0","id":"q","method":"ping"}')
      void world.server
        .heard(session, (said) => said.some((text) => text.includes('mine')))
        .then((said) => {
          stream.event(resultOf(id, JSON.stringify(said))).end()
        })
    })
    const answer = await mine.openCall('1', 'ask')
    await answer.text((body) => body.includes('"ping"'))
    await stranger.post('{"jsonrpc":"2.0","id":"q","result":{"by":"stranger"}}')
    await mine.post('{"jsonrpc":"2.0","id":"other","result":{"by":"nobody"}}')
    await mine.post('{"jsonrpc":"2.0","id":"q","result":{"by":"mine"}}')
    await mine.post('{"jsonrpc":"2.0","id":"q","result":{"by":"too late"}}')
    const text = (await answer.whole()).body
    expect(text).toContain('mine')
    expect(text).not.toMatch(/stranger|nobody|too late/)
  })

  it('a session is found at its own route only, and by nobody who guesses', async () => {
    const client = await world.client()
    const elsewhere = new URL(world.mesh.endpoint('other')).pathname
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? Buffer.from(toolCall('1', 'any')) : undefined
      const types = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
      const answer = await client.http.request(method, elsewhere, { ...types, ...client.headers }, body).head()
      expect([method, answer.status]).toEqual([method, 404])
      await answer.whole()
    }
    for (const session of ['odd-1', client.session.toUpperCase(), `${client.session}x`, client.session.slice(0, -1)]) {
      const answer = await client.post(toolCall('1', 'any'), { 'mcp-session-id': session })
      expect([answer.status, causewayOf(answer.body)]).toMatchObject([404, { code: 'SessionLost' }])
    }
    expect((await client.call('2', 'any')).status).toBe(200)
  })

  it('a server that asks two clients under one id at once hears each answer in its own session', async () => {
    const clients = [await world.client(), await world.client()]
    const streams = await Promise.all(clients.map((client) => client.listen()))
    const names = await Promise.all(
      clients.map(async (client) => {
        world.server.tool('who', ({ arrival, id, session }) => arrival.json(200, resultOf(id, `"${session}"`)))
        return JSON.parse((await client.call('7', 'who')).text).result as string
      }),
    )
    for (const name of names) {
      ;(await world.server.stream(name)).response.write(
        `data: {"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"for":"${name}"}}\n\n`,
      )
    }
    await Promise.all(streams.map((stream, n) => stream.text((body) => body.includes(`"for":"${names[n]}"`))))
    for (const [n, client] of clients.entries()) await client.post(resultOf('7', `"by ${names[n]}"`))
    for (const name of names) {
      const said = await world.server.heard(name, (all) => all.some((text) => text.includes('result')))
      expect(said.at(-1)).toBe(resultOf('7', `"by ${name}"`))
    }
    for (const stream of streams) stream.disconnect()
  })
})

describe('members that appear twice', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
    ['{"jsonrpc":"2.0","id":1,"i\\u0064":2,"method":"ping"}'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/call"}'],
    ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}'],
  ])('%s is refused with 400 and reaches no server (class: two readers, two messages)', async (body) => {
    const client = await world.client()
    const answer = await client.post(body)
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, -32600])
    await client.call('3', 'any')
    expect(world.server.http.arrivals.map(({ text }) => text)).not.toContain(body)
  })

  it('deeper ones cross as they are, and so does the order of members', async () => {
    const client = await world.client()
    let text = ''
    world.server.tool('deep', ({ arrival, id }) => {
      text = arrival.text
      arrival.json(200, `{"result":{"b":1,"a":2,"b":3},"id":${id},"jsonrpc":"2.0"}`)
    })
    const call = toolCall('1', 'deep', '{"z":1,"a":2,"z":3,"__proto__":{"x":1},"constructor":{"prototype":{}}}')
    expect((await client.post(call)).text).toBe('{"result":{"b":1,"a":2,"b":3},"id":1,"jsonrpc":"2.0"}')
    expect(text).toBe(call)
  })
})
