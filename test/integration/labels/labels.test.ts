import { readIdentityFile } from '@causeway/npamp/crypto/node'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { edgeResources, type MeshSpecs, toolsResources } from '../../fixtures/mesh/documents.ts'
import { GoBetween } from '../../fixtures/mesh/go-between.ts'
import { addressOf, RelaysHere } from '../../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, fixture, stopped } from '../clean-up.ts'
import { type AnyClient, callText, legacyClient, modernClient, PIN_MODERN } from '../clients.ts'
import { labelOf } from './label-of.ts'

const BRIDGE_REQUEST = 0x0100

/** Digest 06 section 5.2, all 27: readOnly, destructive, idempotent. */
const EFFECTS: Readonly<Record<string, number>> = {
  'tool.TTT': 0,
  'tool.TTF': 0,
  'tool.TT-': 0,
  'tool.TFT': 0,
  'tool.TFF': 0,
  'tool.TF-': 0,
  'tool.T-T': 0,
  'tool.T-F': 0,
  'tool.T--': 0,
  'tool.FTT': 3,
  'tool.FTF': 3,
  'tool.FT-': 3,
  'tool.FFT': 1,
  'tool.FFF': 2,
  'tool.FF-': 2,
  'tool.F-T': 3,
  'tool.F-F': 3,
  'tool.F--': 3,
  'tool.-TT': 3,
  'tool.-TF': 3,
  'tool.-T-': 3,
  'tool.-FT': 3,
  'tool.-FF': 3,
  'tool.-F-': 3,
  'tool.--T': 3,
  'tool.--F': 3,
  'tool.---': 3,
  plain: 3,
}
const IDS = requirement('MCP-023', 'MCP-030', 'MCP-031', 'MCP-032', 'MCP-033', 'MCP-034', 'MCP-035')

describe.each([
  ['legacy', (url: string): Promise<AnyClient> => legacyClient(url)],
  ['modern', (url: string): Promise<AnyClient> => modernClient(url, PIN_MODERN)],
] as const)('labels on the wire, %s client', (_era, connect) => {
  it(`${IDS} each of the 27 combinations of annotations is labelled with its effect, once its list has passed`, async () => {
    const { between, endpoint } = await meshWithGoBetween()
    const client: AnyClient = await closed(connect(endpoint))
    await client.listTools()
    for (const tool of Object.keys(EFFECTS)) expect(await callText(client, tool)).toBe(tool)
    expect(labelledCalls(between)).toEqual(EFFECTS)
  })

  it(`${requirement('MCP-034')} a call before any list is labelled destructive`, async () => {
    const { between, endpoint } = await meshWithGoBetween()
    const client: AnyClient = await closed(connect(endpoint))
    expect(await callText(client, 'tool.TFT')).toBe('tool.TFT')
    expect(labelledCalls(between)).toEqual({ 'tool.TFT': 3 })
  })

  it('a route that does not trust annotations labels every call destructive', async () => {
    const { between, endpoint } = await meshWithGoBetween({ transparent: { trustAnnotations: false } })
    const client: AnyClient = await closed(connect(endpoint))
    await client.listTools()
    await callText(client, 'tool.TFT')
    expect(labelledCalls(between)).toEqual({ 'tool.TFT': 3 })
  })

  it(`${requirement('MCP-040', 'MCP-042')} every request has a label, and what no table knows is destructive`, async () => {
    const { between, endpoint } = await meshWithGoBetween()
    const client: AnyClient = await closed(connect(endpoint))
    await client.listTools()
    const requests = between.frames.filter(({ type }) => type === BRIDGE_REQUEST).map(({ payload }) => labelOf(payload))
    expect(requests.length).toBeGreaterThan(0)
    expect(requests.filter(({ effect }) => effect === undefined)).toEqual([])
  })
})

function labelledCalls({ frames }: GoBetween): Record<string, number | undefined> {
  const calls = frames.filter(({ type }) => type === BRIDGE_REQUEST).map(({ payload }) => labelOf(payload))
  return Object.fromEntries(
    calls
      .filter(({ method }) => method === 'tools/call')
      .map(({ json, effect }) => [(JSON.parse(json) as { params: { name: string } }).params.name, effect]),
  )
}

/** Relay `edge`, a peer that reads along, relay `tools`, and the server behind it. */
async function meshWithGoBetween(routeSpec: { transparent?: object } = {}) {
  const { info } = await fixture('servers/annotated.ts')
  const relays = cleanUp(await RelaysHere.create(), (all) => all.stop())
  const handle = await relays.handleOf('between')
  const specs: MeshSpecs = { backends: { annotated: info.url } }
  const tools = await relays.start('tools', toolsResources(specs, handle, 0))
  const { key } = await readIdentityFile(relays.path('between.key'))
  const [host = '', port = ''] = addressOf(tools.addresses.npamp).split(':')
  const between = await stopped(GoBetween.open(key, { host, port: Number(port) }))
  const target = { peer: { name: 'tools', target: 'annotated' } }
  const withRoute = { ...specs, routeSpec: { transparent: { target, ...routeSpec.transparent } } }
  const edge = await relays.start('edge', edgeResources(withRoute, handle, `npamp://${addressOf(between.address)}`))
  return { between, endpoint: `http://${addressOf(edge.addresses.mcp)}/annotated/mcp` }
}
