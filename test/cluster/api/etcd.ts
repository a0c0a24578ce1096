import { type Daemon, startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'

/** The store behind an API server. */
export interface Etcd {
  readonly url: string
  readonly daemon: Daemon
  /** Forgets every revision but the current one, and frees their space. Resolves with that revision. */
  compact(): Promise<number>
}

export interface EtcdOptions {
  readonly program: string
  readonly address: string
  readonly port: number
  readonly peerPort: number
  readonly wrapper?: readonly string[]
}

export async function startEtcd(folder: RunFolder, options: EtcdOptions): Promise<Etcd> {
  const url = `http://${options.address}:${options.port}`
  const peerUrl = `http://${options.address}:${options.peerPort}`
  const args = [
    `--data-dir=${folder.file('etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
  const daemon = startDaemon(folder, 'etcd', options.program, args, options)
  const healthy = until('etcd serves', async () => (await fetch(`${url}/health`)).ok)
  await Promise.race([healthy, daemon.failure])
  return {
    url,
    daemon,
    async compact() {
      const read = (await post(`${url}/v3/kv/range`, { key: base64('health') })) as { header: { revision: string } }
      const revision = Number(read.header.revision)
      await post(`${url}/v3/kv/compaction`, { revision: String(revision), physical: true })
      return revision
    },
  }
}

/** etcd's gRPC calls, as JSON. */
async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${text}`)
  return JSON.parse(text)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
