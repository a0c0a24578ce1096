/**
 * The clients of the soak, in a process of their own. Command `run` takes `{url, perSecond, seconds}`: that many calls a
 * second of both eras, in sessions that open and close all the time; it answers what became of them.
 */
import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { serveParent } from '../fixtures/process/child.ts'

interface Ask {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
}

export interface Done {
  readonly calls: number
  readonly sessions: number
  /** What went wrong, each once. */
  readonly failures: readonly string[]
}

const CALLS_PER_SESSION = 5
const LEGACY_TOOLS = ['echo', 'steps', 'ask'] as const
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

let agent = newAgent()

serveParent({}, { run: (argument) => run(argument as Ask) })

async function run({ url, perSecond, seconds }: Ask): Promise<Done> {
  const failures = new Set<string>()
  let calls = 0
  let sessions = 0
  const open = new Set<Promise<unknown>>()
  const start = (work: () => Promise<void>) => {
    const one: Promise<unknown> = work()
      .catch((error: unknown) => failures.add(String(error)))
      .finally(() => open.delete(one))
    open.add(one)
  }
  const startedMs = performance.now()
  // Half of the calls are modern; the other half comes in sessions of five.
  const turnMs = (2 * CALLS_PER_SESSION * 1_000) / perSecond
  for (let turn = 0; performance.now() - startedMs < seconds * 1_000; turn++) {
    start(() => session(url, turn))
    for (let n = 0; n < CALLS_PER_SESSION; n++) start(() => modern(url, turn * CALLS_PER_SESSION + n))
    sessions += 1
    calls += 2 * CALLS_PER_SESSION
    await setTimeout(Math.max(0, startedMs + (turn + 1) * turnMs - performance.now()))
  }
  await Promise.all(open)
  // Idle connections are the clients', not something that the relay left open.
  await agent.close()
  agent = newAgent()
  return { calls, sessions, failures: [...failures] }
}

async function modern(url: string, n: number): Promise<void> {
  const cancelled = n % 20 === 0
  const name = cancelled ? 'never' : n % 4 === 0 ? 'steps' : 'echo'
  const headers = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
  const body = message({ id: n, method: 'tools/call', params: { name, arguments: {}, _meta: META } })
  if (!cancelled) {
    expectResult(await post(url, headers, body))
    return
  }
  const impatience = new AbortController()
  const gone = post(url, headers, body, impatience.signal).catch(() => {})
  await setTimeout(50)
  impatience.abort()
  await gone
}

async function session(url: string, turn: number): Promise<void> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {} },
    clientInfo: { name: 'soak', version: '1' },
  }
  const opened = await request(url, {
    method: 'POST',
    headers: ACCEPT,
    body: message({ id: 0, method: 'initialize', params }),
    dispatcher: agent,
  })
  await opened.body.dump()
  const id = String(opened.headers['mcp-session-id'])
  const headers = { ...ACCEPT, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
  await post(url, headers, message({ method: 'notifications/initialized' }))
  const stream = await request(url, {
    method: 'GET',
    headers: { ...headers, accept: 'text/event-stream' },
    dispatcher: agent,
  })
  stream.body.on('error', () => {})
  stream.body.resume()
  for (let n = 1; n <= CALLS_PER_SESSION; n++) {
    const name = LEGACY_TOOLS[(turn + n) % LEGACY_TOOLS.length] ?? 'echo'
    await legacyCall(url, headers, n, name)
  }
  // One in ten just goes away.
  if (turn % 10 === 0) stream.body.destroy()
  const ended = await request(url, { method: 'DELETE', headers, dispatcher: agent })
  await ended.body.dump()
}

async function legacyCall(url: string, headers: Record<string, string>, id: number, name: string): Promise<void> {
  const body = message({ id, method: 'tools/call', params: { name, arguments: {}, _meta: { progressToken: id } } })
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
  let text = ''
  let answered = false
  for await (const chunk of answer.body) {
    text += String(chunk)
    const asked = /"id":(\d+),"method":"roots\/list"/.exec(text)?.[1]
    if (asked === undefined || answered) continue
    answered = true
    await post(url, headers, message({ id: Number(asked), result: { roots: [] } }))
  }
  expectResult(text)
}

async function post(url: string, headers: Record<string, string>, body: string, signal?: AbortSignal): Promise<string> {
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, ...(signal && { signal }) })
  return answer.body.text()
}

function expectResult(text: string): void {
  if (!text.includes('"result":')) throw new Error(`no result: ${text.slice(0, 200)}`)
}

function message(members: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...members })
}

function newAgent(): Agent {
  return new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: 256 })
}
