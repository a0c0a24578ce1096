import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { startTwoRelays } from '../fixtures/mesh/two-relays.ts'
import type { How } from '../fixtures/servers/ledger.ts'
import { readLedger } from '../fixtures/servers/ledger-file.ts'
import { cleanUp, fixture, stopped } from './clean-up.ts'
import { modernCall } from './clients.ts'

/** How a call ended for its client: an answer, the mesh's own error with its delivery, or no HTTP answer at all. */
type End = 'answered' | 'not_sent' | 'unknown' | 'disconnected'

async function processes() {
  const folder = cleanUp(mkdtempSync(join(tmpdir(), 'ledger-')), (path) => rmSync(path, { recursive: true }))
  const file = join(folder, 'ledger')
  const ledger = await fixture('servers/ledger.ts', file)
  const relays = await stopped(startTwoRelays({ backends: { ledger: ledger.info.url }, logLevel: 'warn' }))
  const { port, pathname } = new URL(relays.endpoint('ledger'))
  const http = cleanUp(new HttpClient(Number(port)), (client) => client.close())

  async function run(key: string, how: How, ms?: number): Promise<End> {
    const { body, headers } = modernCall('run', { key, how, ms })
    const answer = await http.post(body, headers, pathname).catch(() => undefined)
    if (answer === undefined) return 'disconnected'
    const { error } = JSON.parse(answer.body) as { error?: { data?: { causeway?: { delivery: End } } } }
    const delivery = error?.data?.causeway?.delivery
    if (error !== undefined && delivery === undefined) throw new Error(`an error that is nobody's: ${answer.body}`)
    return delivery ?? 'answered'
  }

  /** What must hold whatever happened: nothing ran twice, `not_sent` ran never, an answer means that it ran. */
  function judge(ends: ReadonlyMap<string, End>): void {
    const counts = readLedger(file)
    for (const [key, end] of ends) {
      const ran = counts.get(key) ?? 0
      expect([key, end, ran]).toEqual([
        key,
        end,
        end === 'answered' ? 1 : end === 'not_sent' ? 0 : expect.toBeOneOf([0, 1]),
      ])
    }
  }

  /** Resolves when the server has run `key`, or has at least got the request where it never runs it. */
  async function ran(key: string): Promise<void> {
    while (!readLedger(file).has(key)) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  return { relays, ledger, run, judge, ran }
}

describe('kill -9', () => {
  it.each<[string, (mesh: Awaited<ReturnType<typeof processes>>) => Promise<unknown>, readonly End[]]>([
    ['the relay beside the server', ({ relays }) => relays.tools.kill(), ['unknown']],
    ['the relay beside the client', ({ relays }) => relays.edge.kill(), ['disconnected']],
    ['the server', ({ ledger }) => ledger.kill(), ['unknown']],
  ])('of %s after the call ran: one clear end, and it ran once', async (_name, kill, ends) => {
    const mesh = await processes()
    const call = mesh.run('key', 'hang')
    await mesh.ran('key')
    await kill(mesh)
    const end = await call
    expect(ends).toContain(end)
    mesh.judge(new Map([['key', end]]))
  })

  it.each<[string, (mesh: Awaited<ReturnType<typeof processes>>) => Promise<unknown>]>([
    ['the relay beside the server', ({ relays }) => relays.tools.kill()],
    ['the server', ({ ledger }) => ledger.kill()],
  ])('of %s before the call is made: not sent', async (_name, kill) => {
    const mesh = await processes()
    expect(await mesh.run('before', 'answer')).toBe('answered')
    await kill(mesh)
    const end = await mesh.run('key', 'answer')
    expect(end).toBe('not_sent')
    mesh.judge(new Map([['key', end]]))
  })

  it('of the relay beside the server, again and again under load: no call ever runs twice', async () => {
    const mesh = await processes()
    const ends = new Map<string, End>()
    let calling = true
    const caller = async (name: number): Promise<void> => {
      for (let n = 0; calling; n++) {
        const key = `${name}/${n}`
        const how: How = n % 3 === 0 ? 'late' : n % 3 === 1 ? 'stream' : 'lateRun'
        ends.set(key, await mesh.run(key, how, 10))
      }
    }
    const callers = Array.from({ length: 8 }, (_, name) => caller(name))
    for (let round = 0; round < 3; round++) {
      const before = ends.size
      while (ends.size < before + 60) await new Promise((resolve) => setTimeout(resolve, 5))
      await mesh.relays.tools.kill()
      await mesh.relays.restartTools()
    }
    calling = false
    await Promise.all(callers)
    mesh.judge(ends)
    expect([...ends.values()].filter((end) => end === 'answered').length).toBeGreaterThan(100)
    expect([...ends.values()]).not.toContain('disconnected')
  })
})

describe('stopping in good order', () => {
  it('a relay that drains lets what is open end, and exits with 0', async () => {
    const mesh = await processes()
    const call = mesh.run('key', 'late', 700)
    await mesh.ran('key')
    const exited = mesh.relays.tools.stop()
    expect(await call).toBe('answered')
    expect(await exited).toBe(0)
    expect(await mesh.relays.edge.stop()).toBe(0)
  })

  it('the relay that holds the client answers what is open before it exits', async () => {
    const mesh = await processes()
    const call = mesh.run('key', 'late', 700)
    await mesh.ran('key')
    const exited = mesh.relays.edge.stop()
    expect(await call).toBe('answered')
    expect(await exited).toBe(0)
  })

  it('calls during a restart of the relay beside the server wait for it, and run once', async () => {
    const mesh = await processes()
    expect(await mesh.run('warm', 'answer')).toBe('answered')
    await mesh.relays.tools.stop()
    const calls = Array.from({ length: 10 }, (_, n) => mesh.run(`key${n}`, 'answer'))
    await mesh.relays.restartTools()
    const ends = await Promise.all(calls)
    mesh.judge(new Map(ends.map((end, n) => [`key${n}`, end])))
    expect(await mesh.run('after', 'answer')).toBe('answered')
  })
})
