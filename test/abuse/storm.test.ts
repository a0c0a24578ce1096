import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { edgeResources, toolsResources } from '../fixtures/mesh/documents.ts'
import { addressOf, RelaysHere } from '../fixtures/mesh/relays-here.ts'
import { seededRandom } from '../fixtures/npamp/random.ts'
import { eventually, inTime } from '../integration/at-most-once/in-time.ts'
import { Link } from '../integration/at-most-once/link.ts'
import { causewayOf, LegacyClient, textsOf } from './legacy-client.ts'
import { LegacyServer, resultOf } from './legacy-server.ts'

const CLIENTS = 20
const STEPS = 25
/** So many calls end between two breaks of an association. */
const CALLS_PER_CUT = 40
/** Nothing waits for the 15 s after which a dead association shows by silence. */
const QUICK_MS = 8_000

let server: LegacyServer
let link: Link
let relays: RelaysHere
let edge: Awaited<ReturnType<RelaysHere['start']>>
let tools: typeof edge

beforeAll(async () => {
  server = await LegacyServer.open()
  // Says whose it is in everything, and asks its client under the id of the call, which the calls of all others have too.
  server.tool('storm', ({ arrival, id, session }) => {
    const tag = /"tag":"([^"]+)"/.exec(arrival.text)?.[1] ?? ''
    const stream = arrival.stream()
    stream.event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"of":"${tag}"}}`)
    stream.event(`{"jsonrpc":"2.0","id":${id},"method":"roots/list","params":{"of":"${tag}"}}`)
    const answers = (said: readonly string[]) => said.filter((text) => text.startsWith(`{"jsonrpc":"2.0","id":${id},`))
    void server
      .heard(session, (said) => answers(said).length > 0)
      .then((said) => stream.event(resultOf(id, `{"of":"${tag}","heard":[${answers(said)}]}`)).end())
  })
  link = await Link.open()
  relays = await RelaysHere.create()
  const specs = { backends: { odd: server.url } }
  tools = await relays.start('tools', toolsResources(specs, await relays.handleOf('edge'), 0), 'error')
  link.target = tools.addresses.npamp
  const { host, port } = link.address
  edge = await relays.start(
    'edge',
    edgeResources(specs, await relays.handleOf('tools'), `npamp://${host}:${port}`),
    'error',
  )
})

afterAll(async () => {
  await relays.stop()
  await link.close()
  await server.close()
})

describe('many sessions with one id, while the mesh breaks under them', () => {
  it("every client hears its own and nobody else's, every call ends soon, and nothing is left (class: all mix-ups together)", async () => {
    const url = `http://${addressOf(edge.addresses.mcp)}/odd/mcp`
    let calls = 0
    const ends: Record<string, number> = {}
    const run = async (n: number): Promise<void> => {
      const octets = seededRandom(`storm ${n}`)
      const random = () => (octets(1)[0] ?? 0) / 256
      let client = await begin(url)
      for (let step = 0; step < STEPS; step++) {
        const end = await inTime(
          oneCall(client, step, `c${n}-${step}`, random),
          `call ${step} of client ${n}`,
          3 * QUICK_MS,
        )
        ends[end] = (ends[end] ?? 0) + 1
        if (++calls % CALLS_PER_CUT === 0) link.cutNewest()
        if (end === 'lost') {
          client.close()
          client = await begin(url)
        }
      }
      await client.end()
      client.close()
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => run(n)))
    // It was a storm: many came through, and some were lost with their association.
    expect(ends.answered).toBeGreaterThan(CLIENTS)
    expect(ends.lost).toBeGreaterThan(0)
    await eventually('nothing is open', () => {
      const open = [edge, tools].flatMap(({ metrics }) => [
        metrics.total('causeway_exchanges_open'),
        metrics.total('causeway_sessions_open'),
      ])
      return open.every((count) => count === 0)
    })
  })
})

/** An `initialize` may meet an association that just broke. */
async function begin(url: string): Promise<LegacyClient> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await LegacyClient.connect(url)
    } catch (error) {
      if (attempt === 20) throw error
    }
  }
}

type End = 'answered' | 'lost' | 'failed' | 'cancelled'

/** One call, in one of the ways in which a client may handle it. Throws where it hears what is not its own. */
async function oneCall(client: LegacyClient, id: number, tag: string, random: () => number): Promise<End> {
  const opened = await client.openCall(String(id), 'storm', `{"tag":"${tag}"}`)
  if (opened.status === 404) return 'lost'
  const over = (text: string) => textsOf(text).length >= 2 || text.includes('"causeway"')
  let seen = await opened.text(over)
  const way = random()
  if (way < 0.2) await client.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`)
  let rest = opened
  if (way > 0.6 && /^id: /m.test(seen)) {
    opened.disconnect()
    const last = [...seen.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]
    rest = await client.listen(last)
    if (rest.status !== 200) {
      await rest.whole()
      return endOf(seen, tag, rest.status)
    }
  }
  await client.post(`{"jsonrpc":"2.0","id":${id},"result":{"by":"${tag}"}}`)
  const { body } = await rest.whole()
  seen = rest === opened ? body : `${seen}\n${body}`
  return endOf(seen, tag, 200)
}

function endOf(seen: string, tag: string, status: number): End {
  for (const text of textsOf(seen)) {
    const { params, result } = JSON.parse(text) as {
      params?: { of?: string }
      result?: object
    }
    expect(params?.of ?? tag).toBe(tag)
    if (result === undefined) continue
    expect(result).toEqual({ of: tag, heard: [{ jsonrpc: '2.0', id: expect.any(Number), result: { by: tag } }] })
    return 'answered'
  }
  if (status === 404) return 'lost'
  const last = seen.startsWith('{') ? seen : textsOf(seen).at(-1)
  const cause = last === undefined ? undefined : causewayOf(last)
  if (cause === undefined) return 'cancelled'
  expect(cause.delivery).toBeOneOf(['unknown', 'not_sent'])
  return cause.code === 'SessionLost' ? 'lost' : 'failed'
}
