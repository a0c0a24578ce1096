import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  type MeshHere,
  type SingleRelayHere,
  startMeshHere,
  startSingleRelayHere,
} from '../fixtures/mesh/relays-here.ts'
import { PUBLISHED } from '../fixtures/stdio/published.ts'
import { eventually, isAlive } from '../fixtures/stdio/stdio-backend-harness.ts'
import { closed, stopped } from './clean-up.ts'
import { type AnyClient, callText, legacyClient, modernCall, modernClient } from './clients.ts'
import { openSession, post } from './legacy-session.ts'

const program = (name: string) => new URL(`../fixtures/stdio/${name}.ts`, import.meta.url).pathname
const server = (...args: string[]) => ({ stdio: { command: process.execPath, args } })
const BACKENDS = {
  everything: server(PUBLISHED.everything),
  modern: server(program('modern')),
  scripted: server(program('scripted'), '--legacy'),
}

describe.each([
  ['two relays', startMeshHere],
  ['one relay, no mesh', startSingleRelayHere],
])('servers that are processes, behind %s', (_name, start) => {
  const started = () => stopped<MeshHere | SingleRelayHere>(start({ backends: BACKENDS }))

  it(`${requirement('MCP-015')} are served to the published clients of both generations, which find the era by themselves`, async () => {
    const { endpoint } = await started()
    const generations: ((url: string) => Promise<AnyClient>)[] = [legacyClient, modernClient]
    for (const client of generations) {
      const everything = await closed(client(endpoint('everything')))
      expect((await everything.listTools()).tools.map(({ name }) => name)).toContain('get-sum')
      expect(await callText(everything, 'echo', { message: 'hello' })).toBe('Echo: hello')
      const modern = await closed(client(endpoint('modern')))
      expect(await callText(modern, 'add', { a: 19, b: 23 })).toBe('42')
    }
    const modern = await closed(modernClient(endpoint('modern')))
    expect(modern.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  })

  it('are known by their era: a modern client of a legacy one is answered by 400 and both eras', async () => {
    const { endpoint } = await started()
    const call = modernCall('anything', {}, 1)
    const discover = {
      body: call.body.replace('"tools/call"', '"server/discover"'),
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
    }
    for (const { body, headers } of [discover, call]) {
      const response = await post(endpoint('scripted'), body, headers)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        id: 1,
        error: { code: -32000, data: { causeway: { eras: { client: 'modern', server: 'legacy' } } } },
      })
    }
  })

  it('end with their sessions and with the relay; a session whose process died is answered by 404', async () => {
    const { endpoint, stop } = await started()
    const url = endpoint('scripted')
    const first = await openSession(url)
    const pid = await first.ask('pid')
    expect((await first.delete()).status).toBeLessThan(300)
    await eventually(() => isAlive(pid)).toBe(false)

    const second = await openSession(url)
    process.kill(await second.ask('pid'), 'SIGKILL')
    await eventually(async () => (await second.post('ping')).status).toBe(404)

    const third = await openSession(url)
    const left = await third.ask('pid')
    await stop()
    expect(isAlive(left)).toBe(false)
  })
})
