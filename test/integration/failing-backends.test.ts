import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { type Answer, HttpClient } from '../fixtures/edge/http-client.ts'
import {
  type MeshHere,
  type SingleRelayHere,
  startMeshHere,
  startSingleRelayHere,
} from '../fixtures/mesh/relays-here.ts'
import type { How } from '../fixtures/servers/ledger.ts'
import { readLedger } from '../fixtures/servers/ledger-file.ts'
import { cleanUp, closed, fixture, stopped } from './clean-up.ts'
import { callText, legacyClient, modernCall, modernClient, PIN_MODERN } from './clients.ts'

interface Delivery {
  readonly error: { readonly code: number; readonly data?: { readonly causeway?: { readonly delivery: string } } }
}

describe.each([
  ['two relays', startMeshHere],
  ['one relay, no mesh', startSingleRelayHere],
])('a backend that misbehaves, behind %s', (_name, start) => {
  async function withLedger(specs: object = {}) {
    const folder = cleanUp(mkdtempSync(join(tmpdir(), 'ledger-')), (path) => rmSync(path, { recursive: true }))
    const file = join(folder, 'ledger')
    const ledger = await fixture('servers/ledger.ts', file)
    const mesh = await stopped<MeshHere | SingleRelayHere>(start({ backends: { ledger: ledger.info.url }, ...specs }))
    const url = new URL(mesh.endpoint('ledger'))
    const http = cleanUp(new HttpClient(Number(url.port)), (client) => client.close())
    const run = (key: string, how: How, ms?: number): Promise<Answer> => {
      const { body, headers } = modernCall('run', { key, how, ms })
      return http.post(body, headers, url.pathname)
    }
    return { ledger, mesh, run, http, url, counts: () => readLedger(file) }
  }

  const deliveryOf = ({ body }: Answer): string | undefined =>
    (JSON.parse(body) as Delivery).error.data?.causeway?.delivery

  it(`${requirement('BRG-019')} that is down: not sent, and it ran zero times`, async () => {
    const { ledger, run, counts } = await withLedger()
    await ledger.kill()
    const answer = await run('down', 'answer')
    expect(deliveryOf(answer)).toBe('not_sent')
    expect(counts().get('down')).toBeUndefined()
  })

  it.each<[How, number]>([
    ['close', 1],
    ['closeBeforeRun', 0],
    ['reset', 1],
    ['closeMidway', 1],
    ['closeMidStream', 1],
    ['rubbish', 1],
    ['rubbishStream', 1],
    ['status500', 1],
  ])('%s: one clear error, delivery unknown, and it never runs twice', async (how, runs) => {
    const { run, counts } = await withLedger()
    const answer = await run(how, how)
    expect(deliveryOf(answer)).toBe('unknown')
    expect(counts().get(how) ?? 0).toBe(runs)
    // The relay, the backend and other calls live on.
    expect((await run('after', 'answer')).body).toContain('ran after')
  })

  it.each<How>(['hang', 'hangBeforeRun'])('%s: the deadline of the route ends it, delivery unknown', async (how) => {
    const { run, counts } = await withLedger({ routeSpec: { limits: { requestTimeout: '2s' } } })
    // So that the time goes into the backend and not into the way there.
    await run('before', 'answer')
    const answer = await run(how, how)
    expect(deliveryOf(answer)).toBe('unknown')
    expect(counts().get(how) ?? 0).toBe(how === 'hang' ? 1 : 0)
  })

  it('that takes its time is waited for', async () => {
    const { run } = await withLedger()
    expect((await run('late', 'late', 700)).body).toContain('ran late')
  })

  it('that resets idle connections: the next calls run, each once', async () => {
    const { ledger, run, counts } = await withLedger()
    for (let n = 0; n < 20; n++) {
      expect((await run(`call${n}`, 'answer')).body).toContain(`ran call${n}`)
      await ledger.command('resetIdle')
    }
    expect([...counts().values()]).toEqual(Array(20).fill(1))
  })

  it('that forgets a session: 404, and the client initializes again', async () => {
    const { ledger, mesh } = await withLedger()
    const client = await closed(legacyClient(mesh.endpoint('ledger')))
    expect(await callText(client, 'run', { key: 'a' })).toBe('ran a')
    await ledger.command('forgetSessions')
    await expect(callText(client, 'run', { key: 'b' })).rejects.toMatchObject({ code: 404 })
    const again = await closed(legacyClient(mesh.endpoint('ledger')))
    expect(await callText(again, 'run', { key: 'c' })).toBe('ran c')
  })

  it('that comes back is called again', async () => {
    const { ledger, run } = await withLedger()
    await ledger.command('resetIdle')
    expect((await run('one', 'closeMidway')).status).toBeGreaterThanOrEqual(200)
    expect((await run('two', 'stream')).body).toContain('ran two')
  })
})

describe('the errors of a failing mesh', () => {
  it('server/discover is answered 503, so that no client takes the server for a legacy one', async () => {
    const mesh = await stopped(startMeshHere({ backends: { gone: 'http://127.0.0.1:1/mcp' } }))
    await expect(modernClient(mesh.endpoint('gone'), 'auto')).rejects.toThrow(/503|unavailable/i)
  })

  it('with relay tools stopped every call fails, not sent', async () => {
    const server = await fixture('servers/modern.ts')
    const mesh = await stopped(startMeshHere({ backends: { modern: server.info.url } }))
    const client = await closed(modernClient(mesh.endpoint('modern'), PIN_MODERN))
    expect(await callText(client, 'add', { a: 1, b: 2 })).toBe('3')
    await mesh.tools.stop()
    await expect(callText(client, 'add', { a: 1, b: 2 })).rejects.toMatchObject({
      code: -33110,
      data: { causeway: { code: 'NotDelivered', delivery: 'not_sent' } },
    })
  })
})
