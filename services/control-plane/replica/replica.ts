import { type Clock, type Connection, KubeClient } from '@causeway/kube'
import { FIELD_MANAGERS, workloadName } from '@causeway/mesh-api'
import type { Logger, Metrics, Readiness } from '@causeway/telemetry'
import { ControlPlane } from '../control-plane.ts'
import type { Settings, SourceSettings } from '../options.ts'
import { openKubernetesSource } from '../sources/kubernetes/open-source.ts'
import { serveForwarded } from '../status/forward/forward-server.ts'
import { GrpcServers } from './grpc-servers.ts'
import { Leadership } from './leadership.ts'

export interface ReplicaOptions {
  readonly settings: Settings
  readonly source: Extract<SourceSettings, { place: 'cluster' }>
  readonly connection: Connection
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
  /** It cannot go on, and the process must end. */
  readonly failed: (error: unknown) => void
}

/** How long instances have to move to another replica when this one stops. */
const DRAIN_MS = 5_000

/** One control plane of a cluster: any serves relays, one of them writes status. */
export class Replica {
  readonly #plane: ControlPlane
  readonly #servers: GrpcServers
  readonly #leadership: Leadership

  constructor(options: ReplicaOptions) {
    const { settings, source: place, connection, clock, random, logger, failed } = options
    this.#plane = new ControlPlane({
      ...options,
      place: 'cluster',
      installation: settings.installation,
      installationNamespace: settings.namespace,
      label: (relay, ordinal) => `${workloadName(relay)}-${ordinal}`,
    })
    const source = this.#plane.readFrom((observer) =>
      openKubernetesSource({
        client: new KubeClient({
          connection,
          clock,
          fieldManager: FIELD_MANAGERS.controlPlane,
          onRequest: ({ verb, type, code }) =>
            options.metrics.add('causeway_control_plane_requests_total', 1, { verb, resource: type.plural, code }),
        }),
        watchNamespaces: place.namespaces,
        timing: { silenceMs: place.watchSilenceMs },
        observer,
        random,
        failing: (error) => logger.warn({ err: error }, 'objects cannot be read'),
      }),
    )
    this.#servers = new GrpcServers({
      ...options,
      ...settings,
      config: this.#plane.serve,
      status: (stream) => serveForwarded(stream, () => this.#leadership.sink),
    })
    this.#leadership = new Leadership({
      ...options,
      ...settings,
      plane: this.#plane,
      connection,
      observed: source.statuses,
      channelTo: this.#servers.channelTo,
      clock,
      random,
      logger,
      lost: failed,
    })
  }

  async start(): Promise<void> {
    await this.#servers.start()
    this.#leadership.start()
  }

  ready(): Readiness {
    const plane = this.#plane.ready()
    if (!plane.ok || this.#servers.addresses !== undefined) return plane
    return { ok: false, reasons: ['there is no certificate yet, which the operator makes'] }
  }

  /** Lets the instances move, releases the lease and ends. */
  async stop(): Promise<void> {
    await Promise.all([this.#plane.drain(DRAIN_MS), this.#leadership.stop()])
    await this.#servers.close(0)
    await this.#plane.close()
  }
}
