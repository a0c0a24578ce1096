import { randomBytes } from 'node:crypto'
import { type Clock, type Connection, KubeClient, LeaderElection } from '@causeway/kube'
import { FIELD_MANAGERS, LEASES } from '@causeway/mesh-api'
import type { StatusChannel } from '@causeway/rpc'
import type { Logger, Metrics } from '@causeway/telemetry'
import type { ControlPlane } from '../control-plane.ts'
import type { ObservedStatuses } from '../sources/kubernetes/observed-status.ts'
import { STATUS_TIMING } from '../status/aggregator.ts'
import { StatusForwarder } from '../status/forward/forwarder.ts'
import type { InstanceSink } from '../status/instance.ts'
import { leaderAddress, leaderIdentity } from '../status/kubernetes/leader-identity.ts'
import { KubernetesStatus } from '../status/kubernetes/status-writer.ts'

export interface LeadershipOptions {
  readonly plane: ControlPlane
  readonly connection: Connection
  readonly observed: ObservedStatuses
  /** The control plane's own. */
  readonly namespace: string
  /** `host:port` at which other replicas find the status listener of this one. */
  readonly advertised: string
  readonly channelTo: (address: string) => StatusChannel
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
  /** The term is over without our will: the process must end. */
  readonly lost: (error: Error) => void
}

/** One replica writes status: this one while it leads, and otherwise it says to the leader what it knows. */
export class Leadership {
  readonly #options: LeadershipOptions
  readonly #election: LeaderElection
  readonly #forwarder: StatusForwarder
  #writer: KubernetesStatus | undefined
  #sink: InstanceSink | undefined

  constructor(options: LeadershipOptions) {
    this.#options = options
    const { plane, connection, namespace, advertised, clock, random, logger, lost } = options
    const identity = leaderIdentity({ address: advertised, bootId: randomBytes(8).toString('hex') })
    this.#forwarder = new StatusForwarder({ ...options, instances: plane.instances })
    this.#election = new LeaderElection({
      client: new KubeClient({ connection, clock, fieldManager: FIELD_MANAGERS.controlPlane }),
      clock,
      random,
      lease: { namespace, name: LEASES.controlPlane },
      identity,
      acquired: () => this.#lead(),
      lost,
      failing: (error) => logger.warn({ err: error }, 'the lease cannot be renewed'),
      holderChanged: (holder) => {
        logger.info({ holder, isSelf: holder === identity }, 'who leads')
        if (holder !== identity) this.#forwarder.follow(holder === undefined ? undefined : leaderAddress(holder))
      },
    })
  }

  /** Where reports of other replicas go; undefined: this one does not lead. */
  get sink(): InstanceSink | undefined {
    return this.#election.isLeader ? this.#sink : undefined
  }

  start(): void {
    this.#election.start()
  }

  /** Releases the lease. */
  async stop(): Promise<void> {
    this.#forwarder.close()
    // What the lease protects is at rest before it is given back.
    await this.#writer?.stop()
    await this.#election.stop()
  }

  #lead(): void {
    const { plane, connection, observed, clock, random, logger, metrics } = this.#options
    this.#forwarder.close()
    const client = new KubeClient({
      connection,
      clock,
      fieldManager: FIELD_MANAGERS.controlPlane,
      // CONTROL section 4: a Lease does not fence, but who knows that its term is over writes nothing.
      mayWrite: () => this.#election.isLeader,
      onRequest: ({ verb, type, code }) =>
        metrics.add('causeway_control_plane_requests_total', 1, { verb, resource: type.plural, code }),
    })
    this.#writer = new KubernetesStatus({
      client,
      random,
      observed,
      failing: (kind, name, error) => logger.warn({ kind, name, err: error }, 'a status cannot be written'),
    })
    metrics.set('causeway_control_plane_leading', 1)
    this.#sink = plane.lead(this.#writer, STATUS_TIMING)
  }
}
