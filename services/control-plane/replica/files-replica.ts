import type { Clock } from '@causeway/kube'
import { formatProblem, loadResources, readSourceFiles } from '@causeway/mesh-api'
import { RpcError } from '@causeway/rpc'
import type { Logger, Metrics, Readiness } from '@causeway/telemetry'
import type { Settings, SourceSettings } from '../options.ts'
import { openFilesSource } from '../sources/files/files-source.ts'
import { GrpcServers } from './grpc-servers.ts'
import { Standalone } from './standalone.ts'

export interface FilesReplicaOptions {
  readonly settings: Settings
  readonly source: Extract<SourceSettings, { place: 'files' }>
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
  /** It cannot go on, and the process must end. */
  readonly failed: (error: unknown) => void
}

const DRAIN_MS = 5_000

/** A control plane of files for relays on other machines, with certificates as on a cluster (CONTROL section 2). */
export class FilesReplica {
  readonly #standalone: Standalone
  readonly #servers: GrpcServers

  /** Rejects with ConfigurationError when the files are not valid. */
  static async open(options: FilesReplicaOptions): Promise<FilesReplica> {
    const { source, clock, logger } = options
    const files = await openFilesSource({
      ...source,
      load: async (paths) => loadResources(await readSourceFiles(paths)),
      clock,
      onRefused: (problems) => {
        for (const problem of problems) logger.error({}, `the files are not valid: ${formatProblem(problem)}`)
      },
      onTaken: () => logger.info({}, 'the files have changed'),
    })
    return new FilesReplica(options, new Standalone({ ...options, files }))
  }

  private constructor(options: FilesReplicaOptions, standalone: Standalone) {
    this.#standalone = standalone
    this.#servers = new GrpcServers({
      ...options,
      ...options.settings,
      config: standalone.plane.serve,
      status: () => {
        throw new RpcError('FAILED_PRECONDITION', 'a control plane of files has no replicas')
      },
    })
  }

  /** Pages of the admin listener. */
  get documents(): ReadonlyMap<string, () => object> {
    return this.#standalone.documents
  }

  start(): Promise<void> {
    return this.#servers.start()
  }

  ready(): Readiness {
    const plane = this.#standalone.plane.ready()
    if (!plane.ok || this.#servers.addresses !== undefined) return plane
    return { ok: false, reasons: ['there is no certificate yet: `causeway keys ca` makes one'] }
  }

  async stop(): Promise<void> {
    await this.#standalone.plane.drain(DRAIN_MS)
    await this.#servers.close(0)
    await this.#standalone.close()
  }
}
