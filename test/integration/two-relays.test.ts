import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  type MeshHere,
  type SingleRelayHere,
  startMeshHere,
  startSingleRelayHere,
} from '../fixtures/mesh/relays-here.ts'
import type { Entry } from '../fixtures/recorder/entries.ts'
import { closed, fixture, stopped } from './clean-up.ts'
import { callText, legacyClient, modernClient, PIN_MODERN } from './clients.ts'

const BOTH_SERVERS = { everything: 'servers/everything.ts', modern: 'servers/modern.ts' }

async function urlsOf(scripts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const entries = Object.entries(scripts).map(async ([name, script]) => [name, (await fixture(script)).info.url])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>
}

describe.each([
  ['two relays', startMeshHere],
  ['one relay, no mesh', startSingleRelayHere],
])('%s', (_name, start) => {
  it(`${requirement('MCP-015', 'MCP-010')} the published client of the legacy generation lists and calls tools of both servers`, async () => {
    const { endpoint } = await stopped<MeshHere | SingleRelayHere>(start({ backends: await urlsOf(BOTH_SERVERS) }))
    const everything = await closed(legacyClient(endpoint('everything')))
    expect((await everything.listTools()).tools.map(({ name }) => name)).toContain('get-sum')
    expect(await callText(everything, 'echo', { message: 'hello' })).toBe('Echo: hello')
    const modern = await closed(legacyClient(endpoint('modern')))
    expect((await modern.listTools()).tools.map(({ name }) => name)).toContain('add')
    expect(await callText(modern, 'add', { a: 19, b: 23 })).toBe('42')
  })

  it('the published client of the modern generation lists and calls tools of both servers, falling back at the legacy one', async () => {
    const { endpoint } = await stopped<MeshHere | SingleRelayHere>(start({ backends: await urlsOf(BOTH_SERVERS) }))
    const everything = await closed(modernClient(endpoint('everything')))
    expect(everything.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    expect(await callText(everything, 'get-sum', { a: 19, b: 23 })).toContain('42')
    const modern = await closed(modernClient(endpoint('modern')))
    expect(modern.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await modern.listTools()).tools.map(({ name }) => name)).toContain('add')
    expect(await callText(modern, 'echo', { message: 'hello' })).toBe('hello')
  })

  it('progress reaches the call that it belongs to, in both eras', async () => {
    const { endpoint } = await stopped<MeshHere | SingleRelayHere>(start({ backends: await urlsOf(BOTH_SERVERS) }))
    const seen: number[] = []
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
    const modern = await closed(modernClient(endpoint('modern'), PIN_MODERN))
    await modern.callTool({ name: 'progress', arguments: { steps: 3 } }, { onprogress })
    expect(seen).toEqual([1, 2, 3])
    seen.length = 0
    const everything = await closed(legacyClient(endpoint('everything')))
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }
    await everything.callTool(long, undefined, { onprogress })
    expect(seen).toEqual([1, 2, 3])
  })

  it('in a modern run there is no initialize on the wire', async () => {
    const { modern } = await urlsOf({ modern: 'servers/modern.ts' })
    const recorder = await fixture<{ urls: string[] }>('recorder/recorder.ts', String(modern))
    const { endpoint } = await stopped<MeshHere | SingleRelayHere>(
      start({ backends: { modern: String(recorder.info.urls[0]) } }),
    )
    const client = await closed(modernClient(endpoint('modern')))
    await client.listTools()
    const entries = (await recorder.command('entries')) as Entry[]
    expect(entries.flatMap(({ method }) => method ?? [])).toEqual(['server/discover', 'tools/list'])
  })
})

describe('two relays', () => {
  it('know each other by their PeerHandles, and say how they met', async () => {
    const { endpoint, relays, edge, tools } = await stopped(
      startMeshHere({ backends: await urlsOf({ modern: 'servers/modern.ts' }) }),
    )
    await closed(modernClient(endpoint('modern')))
    const [line] = relays.logged('edge', 'association established')
    expect(line).toMatchObject({
      peer: 'default/tools',
      peerHandle: tools.peerHandle,
      profile: 'Standard',
      kem: 'X25519MLKEM768',
      signature: 'ED25519',
      aead: 'AES_256_GCM',
      tlsVersion: 'TLSv1.3',
      tlsGroup: 'X25519MLKEM768',
      dialledBy: 'us',
    })
    expect(relays.logged('tools', 'association established')[0]).toMatchObject({ peerHandle: edge.peerHandle })
  })
})
