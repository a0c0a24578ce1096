import { describe, expect, it } from 'vitest'
import { CuttingProxy } from '../fixtures/edge/cutting-proxy.ts'
import {
  type MeshHere,
  type SingleRelayHere,
  startMeshHere,
  startSingleRelayHere,
} from '../fixtures/mesh/relays-here.ts'
import { closed, fixture, stopped } from './clean-up.ts'
import { legacyClient, modernClient } from './clients.ts'

const LONG = { name: 'trigger-long-running-operation', arguments: { duration: 2, steps: 4 } }

async function cuttable(start: typeof startMeshHere | typeof startSingleRelayHere) {
  const { info } = await fixture('servers/everything.ts')
  const { endpoint } = await stopped<MeshHere | SingleRelayHere>(start({ backends: { everything: info.url } }))
  const url = new URL(endpoint('everything'))
  const proxy = await closed(CuttingProxy.open(Number(url.port)))
  url.port = String(proxy.port)
  return { proxy, url: url.href }
}

describe.each([
  ['two relays', startMeshHere],
  ['one relay, no mesh', startSingleRelayHere],
])('%s: a client whose connections break in the middle of a call', (_name, start) => {
  it.each([
    ['first', legacyClient],
    ['second', modernClient],
  ] as const)(
    'comes back for what it missed, the result too: the published client of the %s generation',
    async (_, connect) => {
      const { proxy, url } = await cuttable(start)
      const client = await closed<Awaited<ReturnType<typeof connect>>>(connect(url))
      const seen: number[] = []
      const onprogress = ({ progress }: { progress: number }) => {
        seen.push(progress)
        if (progress === 1) proxy.cut()
      }
      const result =
        'getNegotiatedProtocolVersion' in client
          ? await client.callTool(LONG, { onprogress })
          : await client.callTool(LONG, undefined, { onprogress })
      expect(JSON.stringify(result)).toContain('Long running operation completed')
      expect(seen).toEqual([1, 2, 3, 4])
    },
  )
})
