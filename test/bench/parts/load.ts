import { Pool } from 'undici'

/** A client of one MCP endpoint: modern `tools/call` POSTs over kept-alive connections. Every call must get a result. */
export interface Load {
  /** `count` calls one after the other; milliseconds each. */
  sequential(count: number, resultOctets?: number): Promise<number[]>
  /** `count` calls that tell their progress; milliseconds each until the first event is here. */
  firstEvents(count: number): Promise<number[]>
  /**
   * Calls at a fixed rate for a time, each timed from the moment it was due, so that a stall counts for every call that
   * had to wait for it. Undefined when it fell hopelessly behind (more than `maxOpen` calls at once).
   */
  atRate(perSecond: number, seconds: number, maxOpen?: number): Promise<number[] | undefined>
  /** Every call that is open, and every later one, fails with this error. */
  fail(error: Error): void
  close(): Promise<void>
}

/** A call that takes longer never ends: the bench fails instead of waiting. */
const CALL_TIMEOUT_MS = 30_000

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
}

export function startLoad(endpoint: string, connections = 64): Load {
  const url = new URL(endpoint)
  const timeouts = { headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS }
  const pool = new Pool(url.origin, { connections, pipelining: 1, ...timeouts })
  let id = 0
  let broken: Error | undefined

  async function call(resultOctets?: number): Promise<void> {
    try {
      await callOnce(resultOctets)
    } catch (cause) {
      throw broken ?? new Error(`${endpoint}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }

  async function callOnce(resultOctets = 0): Promise<void> {
    await post(resultOctets === 0 ? {} : { octets: resultOctets }, resultOctets, () => {})
  }

  async function post(args: object, resultOctets: number, onHead: (head: Buffer) => void): Promise<void> {
    const params = { name: 'echo', arguments: args, _meta: META }
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params })
    const { statusCode, body: answer } = await pool.request({
      path: url.pathname,
      method: 'POST',
      headers: HEADERS,
      body,
    })
    let octets = 0
    let head: Buffer | undefined
    let last: Buffer | undefined
    for await (const chunk of answer) {
      if (head === undefined) onHead(chunk as Buffer)
      head ??= chunk as Buffer
      last = chunk as Buffer
      octets += (chunk as Buffer).length
    }
    const answered = head?.includes('"result":') || last?.includes('"result":')
    if (statusCode !== 200 || !answered) throw new Error(`status ${statusCode}: ${head}`)
    if (octets < resultOctets) throw new Error(`${octets} octets are too few`)
  }

  return {
    async sequential(count, resultOctets) {
      const times: number[] = []
      for (let n = 0; n < count; n++) {
        const started = performance.now()
        await call(resultOctets)
        times.push(performance.now() - started)
      }
      return times
    },
    async firstEvents(count) {
      const times: number[] = []
      for (let n = 0; n < count; n++) {
        const started = performance.now()
        await post({ progress: true }, 0, (head) => {
          if (!head.includes('notifications/progress')) throw new Error(`the first event is none of progress: ${head}`)
          times.push(performance.now() - started)
        })
      }
      return times
    },
    async atRate(perSecond, seconds, maxOpen = 500) {
      const times: number[] = []
      const started = performance.now()
      const total = Math.round(perSecond * seconds)
      let sent = 0
      let open = 0
      let failure: unknown
      while (sent < total) {
        const due = Math.min(total, Math.floor(((performance.now() - started) / 1_000) * perSecond) + 1)
        for (; sent < due; sent++) {
          if (open >= maxOpen) {
            await settled()
            return undefined
          }
          const at = started + (sent / perSecond) * 1_000
          open += 1
          call()
            .then(
              () => times.push(performance.now() - at),
              (error) => {
                failure = error
              },
            )
            .finally(() => {
              open -= 1
            })
        }
        if (failure !== undefined) throw failure
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      await settled()
      return times

      /** So that nothing of this measurement is left in the next one. */
      async function settled(): Promise<void> {
        while (open > 0) await new Promise((resolve) => setTimeout(resolve, 1))
        if (failure !== undefined) throw failure
      }
    },
    fail(error) {
      broken = error
      void pool.destroy(error)
    },
    close: () => pool.destroy(),
  }
}
