import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAuthority } from '../../../services/npamp/transports/tcp-tls/authority.test-support.ts'
import { mintCertificate } from '../../fixtures/http/certificate.ts'
import { startTwoRelays, type TwoRelays, type TwoRelaysOptions } from '../../fixtures/mesh/two-relays.ts'
import { startFixture } from '../../fixtures/process/fixture.ts'
import { readLedger } from '../../fixtures/servers/ledger-file.ts'
import { Tap } from './tap.ts'

/** Two relays over a link that somebody has opened, and the ledger server behind them. */
export interface MeshWithTap {
  readonly mesh: TwoRelays
  readonly tap: Tap
  /** URL of the route to the ledger server. */
  readonly url: string
  /** How often the call with this key has run. */
  ran(key: string): number
  stop(): Promise<void>
}

/**
 * `pinned`: the outer certificate is not validated, so anybody's will do. `ca`: the tap has one of the authority that
 * relay `edge` trusts; `foreign ca`: of another one, which it does not.
 */
export type TapMode = 'pinned' | 'ca' | 'foreign ca'

export async function startMeshWithTap(mode: TapMode): Promise<MeshWithTap> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-tap-'))
  const file = join(folder, 'ledger')
  const backend = await startFixture<{ readonly url: string }>(
    new URL('../../fixtures/servers/ledger.ts', import.meta.url),
    [file],
  )
  const { certificate, ...specs } = mode === 'pinned' ? await pinned() : await authorities(folder, mode)
  const tap = await Tap.open(certificate)
  const stopAround = async (): Promise<void> => {
    await Promise.all([tap.close(), backend.stop()])
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const mesh = await startTwoRelays({
      ...specs,
      backends: { ledger: backend.info.url },
      peerSpec: { associations: 1, ...specs.peerSpec },
      link: async (tools) => {
        tap.target = tools
        return tap.address
      },
    })
    return {
      mesh,
      tap,
      url: mesh.endpoint('ledger'),
      ran: (key) => readLedger(file).get(key) ?? 0,
      async stop() {
        await mesh.stop()
        await stopAround()
      },
    }
  } catch (error) {
    await stopAround()
    throw error
  }
}

interface TapSpecs extends Pick<TwoRelaysOptions, 'peerSpec' | 'npampListener'> {
  readonly certificate: { readonly cert: string; readonly key: string }
}

async function pinned(): Promise<TapSpecs> {
  return { certificate: await mintCertificate('nobody.example') }
}

async function authorities(folder: string, mode: 'ca' | 'foreign ca'): Promise<TapSpecs> {
  const authority = await testAuthority()
  const write = async (name: string, pem: string): Promise<string> => {
    await writeFile(join(folder, name), pem)
    return join(folder, name)
  }
  const own = await authority.issue('127.0.0.1')
  const foreign = await testAuthority('somebody else')
  return {
    certificate: await (mode === 'ca' ? authority : foreign).issue('127.0.0.1'),
    npampListener: {
      tls: { mode: 'ca', certFile: await write('tools.crt', own.cert), keyFile: await write('tools.pem', own.key) },
    },
    peerSpec: { tls: { mode: 'ca', caFile: await write('ca.crt', authority.ca) } },
  }
}
