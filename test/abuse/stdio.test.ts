import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MeshHere, startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { isAlive } from '../fixtures/stdio/stdio-backend-harness.ts'
import { eventually, inTime } from '../integration/at-most-once/in-time.ts'
import { modernCall } from '../integration/clients.ts'
import { answerText, causewayOf, LegacyClient, textsOf } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'

/** What public bug reports of stdio bridges tell of: orphans, noise, crashes that hang, sessions that mix. */

const PROGRAM = new URL('../fixtures/stdio/scripted.ts', import.meta.url).pathname
const server = (...args: string[]) => ({ stdio: { command: process.execPath, args: [PROGRAM, ...args] } })
const SECRET = 'CAUSEWAY_ABUSE_SECRET'
const QUICK_MS = 6_000

let mesh: MeshHere
const clients: LegacyClient[] = []

beforeAll(async () => {
  process.env[SECRET] = 'leaked'
  mesh = await startMeshHere({
    backends: {
      scripted: server('--legacy'),
      dying: server('--die'),
      missing: { stdio: { command: '/does/not/exist' } },
      modern: server('--modern'),
    },
    backendSpec: { limits: { maxProcesses: 4 } },
  })
})

afterAll(async () => {
  delete process.env[SECRET]
  for (const client of clients) client.close()
  await mesh.stop()
})

async function session(): Promise<LegacyClient> {
  const client = await LegacyClient.connect(mesh.endpoint('scripted'))
  clients.push(client)
  return client
}

async function ask(client: LegacyClient, method: string, params = '{}', id = '1'): Promise<unknown> {
  const answer = await client.post(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`)
  return JSON.parse(answerText(answer)).result
}

describe('processes', () => {
  it('each session has its own, with the same ids in all, and DELETE ends it (class: orphaned children, shared children)', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, session))
    const pids = (await Promise.all(sessions.map((one) => ask(one, 'pid')))) as number[]
    expect(new Set(pids).size).toBe(6)
    await Promise.all(sessions.map((one) => one.end()))
    await eventually('all processes are gone', () => pids.every((pid) => !isAlive(pid)))
  })

  it('one that is ended takes its own children with it (class: only the shell is killed)', async () => {
    const client = await session()
    const pids = [(await ask(client, 'pid')) as number, (await ask(client, 'fork', '{}', '2')) as number]
    expect(pids.map(isAlive)).toEqual([true, true])
    await client.end()
    await eventually('both are gone', () => !pids.some(isAlive))
  })

  it.each(['dying', 'missing'])(
    '%s: initialize is answered at once by a typed error, and other sessions live on (class: a crash at the start hangs, or takes the gateway along)',
    async (name) => {
      const other = await session()
      const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
      const answer = await inTime(other.http.post(initialize, {}, `/${name}/mcp`), 'the end of initialize', QUICK_MS)
      expect(causewayOf(answer.body)).toMatchObject({ code: 'NotDelivered' })
      expect(answer.headers).not.toHaveProperty('mcp-session-id')
      expect(await ask(other, 'folder')).toBeTypeOf('string')
    },
  )

  it('one that dies in a call: delivery unknown at once, 404 from then on, nobody else notices', async () => {
    const [client, other] = [await session(), await session()]
    const answer = await inTime(
      client.post('{"jsonrpc":"2.0","id":1,"method":"kill"}'),
      'the end of the call',
      QUICK_MS,
    )
    expect(causewayOf(answerText(answer))).toMatchObject({ delivery: 'unknown' })
    expect((await client.post('{"jsonrpc":"2.0","id":2,"method":"pid"}')).status).toBe(404)
    expect(await ask(other, 'pid')).toBeTypeOf('number')
  })

  it("sees no variable of the relay's that it was not given (class: environment leaks)", async () => {
    const environment = (await ask(await session(), 'environment')) as Record<string, string>
    expect(environment).not.toHaveProperty(SECRET)
    expect(environment).toHaveProperty('PATH')
  })
})

describe('lines', () => {
  const say = (...pieces: string[]) => JSON.stringify({ pieces })

  it('noise on standard output, blank lines and CRLF are no messages, and harm none (class: log lines on stdout)', async () => {
    const client = await session()
    const params = say(
      'Server started!\n',
      '\n',
      '[INFO] {"jsonrpc"\n',
      '{"jsonrpc":"2.0","id":ID,',
      '"result":"ü"}\r\n',
    )
    expect(await ask(client, 'say', params)).toBe('ü')
  })

  it('standard error never reaches the client (class: stderr mixed in)', async () => {
    const client = await session()
    const lines = JSON.stringify({ lines: ['{"jsonrpc":"2.0","id":1,"result":"forged"}', 'error'] })
    expect(await ask(client, 'complain', lines)).toBe('complained')
  })

  it('JSON over several lines reaches the server as one line, its strings untouched', async () => {
    const client = await session()
    await client.post('{"jsonrpc":"2.0",\r\n"id":7,\n"method":"any","params":{"s":"\\n\\r\\u0000"}}')
    const received = (await ask(client, 'received')) as string[]
    expect(received.some((line) => line.includes('"id":7') && line.includes('"s":"\\n\\r\\u0000"'))).toBe(true)
  })

  it('answers twice, answers a foreign id, asks: the right answer, once', async () => {
    const client = await session()
    expect(await ask(client, 'twice')).toBe(1)
    const params = say(
      '{"jsonrpc":"2.0","id":"other","result":"foreign"}\n',
      '{"jsonrpc":"2.0","id":ID,"result":"own"}\n',
    )
    expect(await ask(client, 'say', params)).toBe('own')
    expect(await ask(client, 'pid')).toBeTypeOf('number')
  })

  it('a server request and a notification before any answer reach the client of that session', async () => {
    const client = await session()
    const asks = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
    // The call is the only one that is open in the session, and is never answered.
    const call = await client.open(`{"jsonrpc":"2.0","id":1,"method":"say","params":${say(`${asks}\n`)}}`)
    await call.text((text) => text.includes('roots/list'))
    await client.post(resultOf('1', '"roots"'))
    await eventually('the server has heard it', async () =>
      ((await ask(client, 'received', '{}', '"r"')) as string[]).includes(resultOf('1', '"roots"')),
    )
    expect(textsOf(call.octets.toString())).toEqual([asks])
    call.disconnect()
  })

  it('modern calls with one id at once never mix (class: shared stdio processes keyed by id)', async () => {
    const { http } = await session()
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const { body, headers } = modernCall('x', {}, '1')
        const later = body
          .replace('"tools/call"', '"say"')
          .replace('"name":"x"', `"pieces":["{\\"jsonrpc\\":\\"2.0\\",\\"id\\":ID,\\"result\\":${n}}\\n"]`)
        return http.post(later, { ...headers, 'mcp-method': 'say', 'mcp-name': undefined }, '/modern/mcp')
      }),
    )
    expect(answers.map((answer) => JSON.parse(answerText(answer)).result)).toEqual(answers.map((_, n) => n))
  })
})
