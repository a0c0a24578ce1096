import { setTimeout as delay } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export interface FailedCall {
  readonly startedAtMs: number
  readonly durationMs: number
  readonly error: string
}

const CLIENTS = 20

/**
 * Agents outside of the cluster, with the official SDK, that call a tool so many times a second together. One whose call
 * fails connects anew, as an application does.
 */
export class Load {
  readonly failed: FailedCall[] = []
  answered = 0
  readonly #url: URL
  readonly #intervalMs: number
  #isStopped = false
  readonly #agents: Promise<void>[] = []

  constructor(url: URL, callsPerSecond: number) {
    this.#url = url
    this.#intervalMs = (1000 * CLIENTS) / callsPerSecond
    for (let index = 0; index < CLIENTS; index += 1) this.#agents.push(this.#agent())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#agents)
  }

  async #agent(): Promise<void> {
    let client: Client | undefined
    while (!this.#isStopped) {
      const startedAtMs = performance.now()
      try {
        client ??= await connect(this.#url)
        await callEcho(client, 'hello')
        this.answered += 1
      } catch (error) {
        this.failed.push({ startedAtMs, durationMs: performance.now() - startedAtMs, error: told(error) })
        await client?.close().catch(() => {})
        client = undefined
      }
      await delay(Math.max(0, startedAtMs + this.#intervalMs - performance.now()))
    }
    await client?.close().catch(() => {})
  }
}

export async function connect(url: URL): Promise<Client> {
  const client = new Client({ name: 'outside', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(url))
  return client
}

/** Calls the tool of server-everything; rejects with what went wrong, an answer that is none among it. */
export async function callEcho(client: Client, message: string): Promise<void> {
  const result = await client.callTool({ name: 'echo', arguments: { message } }, { timeout: 30_000 })
  const [content] = result.content
  if (content?.type !== 'text' || content.text !== `Echo: ${message}`)
    throw new Error(`answered ${JSON.stringify(result)}`)
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}`
}
