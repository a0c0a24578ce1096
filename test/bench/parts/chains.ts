import { startTwoRelays } from '../../fixtures/mesh/two-relays.ts'
import { startFixture } from '../../fixtures/process/fixture.ts'
import { type Load, startLoad } from './load.ts'
import { whenOneEnds } from './when-one-ends.ts'

/** A way from the client to the answering server. */
export interface Chain {
  readonly name: 'direct' | 'null chain' | 'mesh'
  /** The processes in between. */
  readonly pids: readonly number[]
  readonly load: Load
}

export interface Chains {
  readonly direct: Chain
  readonly nullChain: Chain
  readonly mesh: Chain
  stop(): Promise<void>
}

/** The same server, reached directly, through two plain TLS 1.3 reverse proxies, and through two relays. */
export async function startChains(): Promise<Chains> {
  const server = await startFixture<{ url: string }>(new URL('answering-server.ts', import.meta.url))
  const proxy = new URL('null-proxy.ts', import.meta.url)
  const far = await startFixture<{ url: string }>(proxy, ['far', server.info.url])
  const near = await startFixture<{ url: string }>(proxy, ['near', far.info.url])
  const relays = await startTwoRelays({ backends: { bench: server.info.url }, logLevel: 'warn' })

  const chain = (name: Chain['name'], endpoint: string, pids: readonly number[]): Chain => ({
    name,
    pids,
    load: startLoad(endpoint),
  })
  const direct = chain('direct', server.info.url, [])
  const nullChain = chain('null chain', `${near.info.url}/mcp`, [near.pid, far.pid])
  const mesh = chain('mesh', relays.endpoint('bench'), [relays.edge.pid, relays.tools.pid])
  const loads = [direct, nullChain, mesh].map((one) => one.load)
  const watch = whenOneEnds({ server, near, far, 'relay edge': relays.edge, 'relay tools': relays.tools }, (error) => {
    for (const load of loads) load.fail(error)
  })
  return {
    direct,
    nullChain,
    mesh,
    async stop() {
      watch.stop()
      await Promise.all(loads.map((load) => load.close()))
      await Promise.all([relays.stop(), near.stop(), far.stop(), server.stop()])
    },
  }
}
