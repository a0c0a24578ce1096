/**
 * The client that the suite's client scenarios start, with the URL of their server as its last argument: the published
 * `@modelcontextprotocol/client` 2.x, in the era that MCP_CONFORMANCE_PROTOCOL_VERSION names, doing what
 * MCP_CONFORMANCE_SCENARIO asks for. With `--mesh` the server is put behind a relay of a mesh of two, and the client dials
 * the other one.
 */
import { setTimeout } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startTwoRelays } from '../fixtures/mesh/two-relays.ts'
import { scriptOf } from './client-scripts.ts'

const MODERN = '2026-07-28'
/** Before the suite loses patience, at 30 s: it would end this process, and not the relays. */
const LIMIT_MS = 20_000

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env
const context: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const serverUrl = String(process.argv.at(-1))

const overtime = setTimeout(LIMIT_MS, undefined, { ref: false }).then(() => {
  throw new Error(`not done after ${LIMIT_MS} ms`)
})
overtime.catch(() => {})

if (process.argv.includes('--mesh')) {
  const relays = await startTwoRelays({ backends: { suite: serverUrl } })
  try {
    await play(relays.endpoint('suite'))
  } finally {
    await relays.stop()
  }
} else {
  await play(serverUrl)
}

async function play(url: string): Promise<void> {
  const client = new Client(
    { name: 'causeway-conformance-client', version: '1.0.0' },
    {
      capabilities: { roots: {}, sampling: {}, elicitation: { form: { applyDefaults: true } } },
      versionNegotiation: { mode: version === MODERN ? 'auto' : 'legacy' },
    },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
  client.setRequestHandler('roots/list', () => ({ roots: [] }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    await Promise.race([scriptOf(scenario)(client, context), overtime])
  } finally {
    await client.close()
  }
}
