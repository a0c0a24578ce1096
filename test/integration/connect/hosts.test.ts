import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { olderNode } from '../../fixtures/connect/launcher.ts'
import { type Fixture, startFixture } from '../../fixtures/process/fixture.ts'
import { stopped } from '../clean-up.ts'
import { callText, PIN_MODERN } from '../clients.ts'
import { legacyHost, modernHost } from './hosts.ts'

/** Hosts as people have them, on the published SDKs, that start `causeway-connect` as their server. */

function server(name: 'everything' | 'modern', env: Record<string, string> = {}, args: string[] = []) {
  const script = new URL(`../../fixtures/servers/${name}.ts`, import.meta.url)
  return stopped(startFixture<{ url: string }>(script, args, { env }))
}

const older = olderNode()
const nodes: [name: string, program: string][] = [['this Node', process.execPath]]
if (older !== undefined) nodes.push(['an older Node', older])

describe.each(nodes)('a host that starts causeway-connect with %s', (_, node) => {
  it('is served by a legacy server: tools, progress, sampling, elicitation, roots', async () => {
    const { info } = await server('everything')
    const client = await legacyHost(info.url, node)
    expect(await callText(client, 'echo', { message: 'ünïcode' })).toBe('Echo: ünïcode')
    const progress: number[] = []
    const operation = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } }
    await client.callTool(operation, undefined, { onprogress: (step) => progress.push(step.progress) })
    // The SDK itself drops a progress that it reads from a pipe together with the answer: the last one may be.
    expect(progress.slice(0, 3)).toEqual([1, 2, 3])
    expect(await callText(client, 'trigger-sampling-request', { prompt: 'p' })).toContain('sampled here')
    expect(await callText(client, 'trigger-elicitation-request')).toMatch(/decline/i)
    expect(await callText(client, 'get-roots-list')).toContain('the root')
  })

  it('is served by a modern server, after a probe or pinned', async () => {
    const { info } = await server('modern')
    for (const mode of ['auto', PIN_MODERN] as const) {
      const client = await modernHost(info.url, mode, node)
      expect(client.getProtocolEra()).toBe('modern')
      expect(await callText(client, 'add', { a: 1, b: 2 })).toBe('3')
    }
  })
})

it('a legacy host is served by a server that keeps no sessions', async () => {
  const { info } = await server('modern')
  const client = await legacyHost(info.url)
  expect(await callText(client, 'echo', { message: 'm' })).toBe('m')
})

describe('a modern host', () => {
  it('cancels a call and goes on', async () => {
    const { info } = await server('modern')
    const client = await modernHost(info.url, PIN_MODERN)
    const abort = new AbortController()
    const call = client.callTool({ name: 'slow', arguments: { ms: 60_000 } }, { signal: abort.signal })
    expect(await callText(client, 'add', { a: 1, b: 1 })).toBe('2')
    abort.abort()
    await expect(call).rejects.toThrow()
    expect(await callText(client, 'add', { a: 2, b: 2 })).toBe('4')
  })

  it('hears of changes on its subscription', async () => {
    const modern = await server('modern', {}, ['--strict'])
    const client = await modernHost(modern.info.url, PIN_MODERN)
    const changed = Promise.withResolvers<void>()
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve())
    const subscription = await client.listen({ toolsListChanged: true })
    await modern.command('toolsChanged')
    await changed.promise
    await subscription.close()
  })

  it('falls back by itself before a legacy server', async () => {
    const { info } = await server('everything')
    const client = await modernHost(info.url, 'auto')
    expect(client.getProtocolEra()).toBe('legacy')
    expect(await callText(client, 'get-sum', { a: 20, b: 22 })).toContain('42')
  })
})

it('a server that was killed and started again has another session, and its host notices nothing', async () => {
  const first: Fixture<{ url: string }> = await server('everything')
  const client = await legacyHost(first.info.url)
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  expect(await callText(client, 'echo', { message: 'before' })).toBe('Echo: before')
  await first.kill()
  await expect(callText(client, 'echo', { message: 'meanwhile' })).rejects.toThrow('is the relay running?')
  await server('everything', { FIXTURE_PORT: new URL(first.info.url).port })
  expect(await callText(client, 'echo', { message: 'after' })).toBe('Echo: after')
  expect(await callText(client, 'get-roots-list'), 'what the server asks reaches the host as before').toContain(
    'the root',
  )
  expect(errors).toEqual([])
})

it('notifications come without being asked for, also after the server was started again', async () => {
  const first = await server('everything')
  const client = await legacyHost(first.info.url)
  const logged = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    client.setNotificationHandler(LoggingMessageNotificationSchema, () => resolve())
    return promise
  }
  const before = logged()
  await callText(client, 'toggle-simulated-logging')
  await before
  await first.kill()
  await server('everything', { FIXTURE_PORT: new URL(first.info.url).port })
  const after = logged()
  await callText(client, 'toggle-simulated-logging')
  await after
})
