import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { type Arrival, scriptedServer } from '../fixtures/http/scripted-server.ts'
import { startTwoRelays } from '../fixtures/mesh/two-relays.ts'
import { startFixture } from '../fixtures/process/fixture.ts'
import { PUBLISHED } from '../fixtures/stdio/published.ts'
import { legacyClient, modernCall } from '../integration/clients.ts'

/**
 * Tools that say nothing for 11 minutes, for real, through two relays that are processes: `node long-silence.ts [SECONDS]`.
 * Longer than every limit that HTTP libraries and proxies have by themselves (Node 5 minutes, many proxies 10).
 * Prints one line a case, and fails when one does.
 */
const seconds = Number(process.argv[2] ?? 11 * 60)
const silenceMs = seconds * 1000

const everything = await startFixture<{ url: string }>(new URL('../fixtures/servers/everything.ts', import.meta.url))
const silent = await scriptedServer(answerLate)
const relays = await startTwoRelays({
  backends: {
    everything: everything.info.url,
    process: { stdio: { command: process.execPath, args: [PUBLISHED.everything] } },
    silent: silent.url.href,
  },
})
const http = new HttpClient(Number(new URL(relays.endpoint('silent')).port))

const cases: Readonly<Record<string, () => Promise<string>>> = {
  'published server and client, Streamable HTTP': () => longOperation('everything'),
  'published server over stdio, published client': () => longOperation('process'),
  'a modern server that answers JSON': () => modern('json'),
  'a modern server that opened a stream': () => modern('stream'),
}
const outcomes = await Promise.allSettled(Object.values(cases).map((run) => run()))
for (const [n, name] of Object.keys(cases).entries()) {
  const outcome = outcomes[n]
  const failed = outcome?.status !== 'fulfilled'
  if (failed) process.exitCode = 1
  process.stdout.write(`${failed ? 'FAILED' : 'ok'}: ${name}: ${failed ? outcome?.reason : outcome.value}\n`)
}

http.close()
await relays.stop()
await silent.close()
await everything.stop()

/** Tells no progress, as nobody asks for it. */
async function longOperation(backend: string): Promise<string> {
  const client = await legacyClient(relays.endpoint(backend))
  const startedAt = performance.now()
  const result = await client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: seconds, steps: 1 } },
    undefined,
    { timeout: 2 * silenceMs },
  )
  const text = JSON.stringify(result)
  if (!text.includes('operation completed')) throw new Error(text)
  if (client.transport instanceof StreamableHTTPClientTransport) await client.transport.terminateSession()
  await client.close()
  return since(startedAt)
}

async function modern(how: 'json' | 'stream'): Promise<string> {
  const { body, headers } = modernCall(how, {}, how)
  const startedAt = performance.now()
  const answer = await http.post(body, headers, '/silent/mcp')
  if (!answer.body.includes(`"result":{"how":"${how}"}`)) throw new Error(`${answer.status} ${answer.body}`)
  const comments = answer.body.split('\n').filter((line) => line.startsWith(':')).length
  return `${since(startedAt)}, ${comments} comments`
}

function answerLate(arrival: Arrival): void {
  const how = arrival.headers['mcp-name']
  const text = `{"jsonrpc":"2.0","id":"${how}","result":{"how":"${how}"}}`
  const stream = how === 'stream' ? arrival.stream() : undefined
  setTimeout(() => {
    if (stream === undefined) arrival.json(200, text)
    else stream.event(text).end()
  }, silenceMs)
}

function since(startedAt: number): string {
  return `answered after ${Math.round((performance.now() - startedAt) / 1000)} s`
}
