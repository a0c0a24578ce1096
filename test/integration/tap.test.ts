import { writeFile } from 'node:fs/promises'
import type { ListenAddress } from '@causeway/relay'
import { describe, expect, it } from 'vitest'
import { mintCertificate } from '../fixtures/http/certificate.ts'
import { edgeResources, toolsResources } from '../fixtures/mesh/documents.ts'
import { addressOf, RelaysHere } from '../fixtures/mesh/relays-here.ts'
import { startTap } from '../fixtures/mesh/tap.ts'
import { closed, fixture, stopped } from './clean-up.ts'
import { callText, legacyClient, modernClient, PIN_MODERN } from './clients.ts'

/** The sum of a counter over all its series, as a scraper reads it. */
async function scraped(admin: ListenAddress | undefined, metric: string): Promise<number> {
  const text = await (await fetch(`http://${addressOf(admin)}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

async function meshWithTap() {
  const relays = await stopped(RelaysHere.create())
  const certificate = await mintCertificate('tap.example')
  await writeFile(relays.path('tap.pem'), certificate.cert)
  const backends = { modern: (await fixture('servers/modern.ts')).info.url }
  const tools = await relays.start('tools', toolsResources({ backends }, await relays.handleOf('edge'), 0))
  const tap = await closed(startTap(certificate, tools.addresses.npamp?.port ?? 0))
  const peerSpec = { tls: { mode: 'ca', caFile: 'tap.pem', serverName: 'tap.example' } }
  const resources = edgeResources(
    { backends, peerSpec },
    await relays.handleOf('tools'),
    `npamp://127.0.0.1:${tap.port}`,
  )
  const edge = await relays.start('edge', resources)
  return { tools, edge, tap, url: `http://${addressOf(edge.addresses.mcp)}/modern/mcp` }
}

/** Until both relays and the tap have seen the same; frames may be on their way. */
async function agreed(read: () => Promise<readonly number[]>): Promise<readonly number[]> {
  for (;;) {
    const numbers = await read()
    if (new Set(numbers).size === 1) return numbers
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a tap on the link between two relays that has the keys of its outer TLS', () => {
  it('counts as many frames as the relays do, and reads neither method names nor bodies', async () => {
    const { tools, edge, tap, url } = await meshWithTap()
    const secret = 'the-body-of-this-call-is-nobody-elses-business'
    for (const client of [await modernClient(url, PIN_MODERN), await legacyClient(url)]) {
      await closed(client)
      await client.listTools()
      expect(await callText(client, 'echo', { message: secret })).toBe(secret)
    }
    const frames = (admin: ListenAddress | undefined, way: 'sent' | 'received') =>
      scraped(admin, `causeway_frames_${way}_total`)
    const [toTools] = await agreed(async () => [
      tap.toTools.length,
      await frames(edge.addresses.admin, 'sent'),
      await frames(tools.addresses.admin, 'received'),
    ])
    const [toEdge] = await agreed(async () => [
      tap.toEdge.length,
      await frames(tools.addresses.admin, 'sent'),
      await frames(edge.addresses.admin, 'received'),
    ])
    expect(toTools).toBeGreaterThan(10)
    expect(toEdge).toBeGreaterThan(10)
    for (const text of [secret, 'tools/call', 'tools/list', 'initialize', 'jsonrpc', 'echo', 'modern', 'mcp-name']) {
      expect([text, tap.octets().includes(text)]).toEqual([text, false])
    }
  })
})
