import {
  type Clock,
  EventRecorder,
  type KubeClient,
  type KubeError,
  type ResourceType,
  startController,
  WorkQueue,
} from '@causeway/kube'
import type { CryptoProvider } from '@causeway/npamp'
import type { Logger, Metrics } from '@causeway/telemetry'
import { AcceptanceController } from './controllers/acceptance/controller.ts'
import { CertificatesController } from './controllers/certificates/controller.ts'
import type { Lives } from './controllers/certificates/lives.ts'
import { CredentialsController } from './controllers/credentials/controller.ts'
import { IdentityController } from './controllers/identity/controller.ts'
import { ProtectionController } from './controllers/protection/controller.ts'
import type { Responsibility, Tools } from './controllers/responsibility.ts'
import { WorkloadController } from './controllers/workload/controller.ts'
import type { Installation } from './infra/relay-input.ts'
import { Entries } from './world/entries.ts'
import { MeshSet } from './world/mesh-set.ts'
import { MeshView } from './world/mesh-view.ts'
import { World } from './world/world.ts'

export interface OperatorOptions {
  /** For reading, and for writing while this process is the leader. */
  readonly client: KubeClient
  readonly clock: Clock
  /** In [0, 1), for jitter. */
  readonly random: () => number
  readonly provider: CryptoProvider
  readonly logger: Logger
  readonly metrics: Metrics
  readonly installation: Installation
  readonly watched: '*' | readonly string[]
  /** The pod, for events. */
  readonly instance: string
  readonly timing: OperatorTiming
}

export interface OperatorTiming {
  readonly lives: Lives
  /** How long a switched identity key is given, at least, before the old one goes. */
  readonly identitySettleMs: number
  /** How long a deletion is held back at most (CONTROL section 6). */
  readonly deletionHoldMs: number
  /** How long a watch may say nothing before it is given up. */
  readonly watchSilenceMs: number
}

/** The operator: watches at once, so that it can take over, and works from `lead` on. */
export class Operator {
  readonly world: World
  readonly #options: OperatorOptions
  readonly #running: Running[]
  readonly #events: EventRecorder
  /** The last failure of each watch, by its resource. */
  readonly #failures = new Map<string, string>()
  #isLeading = false

  constructor(options: OperatorOptions) {
    this.#options = options
    const { client, clock, random, installation, logger } = options
    this.world = new World({
      client,
      random,
      namespace: installation.namespace,
      watched: options.watched,
      silenceMs: options.timing.watchSilenceMs,
      failing: (type, error) => this.#failing(type, error),
    })
    this.#events = new EventRecorder({
      client,
      clock,
      random,
      reportingController: 'mesh.causeway.dev/operator',
      reportingInstance: options.instance,
      dropped: (event, error) => logger.debug({ reason: event.reason, err: error }, 'event dropped'),
    })
    const view = new MeshView()
    const mesh = new MeshSet({ view, world: this.world, installation })
    const enqueue = (responsibility: string, key: string) =>
      this.#running.find(({ work }) => work.name === responsibility)?.queue.add(key)
    const tools: Tools = {
      client,
      clock,
      world: this.world,
      view,
      mesh,
      events: this.#events,
      logger,
      installation,
      enqueue,
    }
    this.#running = this.#responsibilities(tools).map((work) => ({ work, queue: this.#queueOf(work) }))
    this.world.subscribe((change) => {
      const effect = mesh.apply(change)
      for (const { work, queue } of this.#running) for (const key of work.keysOf(change, effect)) queue.add(key)
    })
  }

  /** Begins to watch. */
  start(): void {
    this.world.start()
  }

  get isSynced(): boolean {
    return this.world.isSynced
  }

  /** Begins to work; before everything has been listed once nothing is done. */
  lead(): void {
    this.#isLeading = true
    this.#options.metrics.set('causeway_operator_leader', 1)
    this.#begin()
  }

  async stop(): Promise<void> {
    this.#isLeading = false
    for (const running of this.#running) {
      running.queue.close()
      await running.controller?.stop()
    }
    await this.#events.stop()
    await this.world.stop()
  }

  #begin(): void {
    const { clock, logger } = this.#options
    if (!this.#isLeading) return
    if (!this.world.isSynced) {
      clock.setTimeout(() => this.#begin(), SYNC_LOOK_MS)
      return
    }
    for (const running of this.#running) {
      const { work, queue } = running
      for (const key of work.firstKeys ?? []) queue.add(key)
      running.controller = startController({
        queue,
        workers: work.workers,
        reconcile: (key, signal) => this.#reconcile(work, key, signal),
        failed: (key, error, failures) => {
          const level = failures > QUIET_FAILURES ? 'warn' : 'debug'
          logger[level]({ controller: work.name, key, failures, err: error }, 'will be tried again')
        },
      })
    }
    logger.info({}, 'leading')
  }

  async #reconcile(work: Responsibility, key: string, signal: AbortSignal) {
    const { metrics, clock } = this.#options
    const startedAtMs = clock.now()
    let result = 'error'
    try {
      const answer = await work.reconcile(key, signal)
      result = 'ok'
      return answer
    } finally {
      const labels = { controller: work.name }
      metrics.add('causeway_operator_reconciles_total', 1, { ...labels, result })
      metrics.record('causeway_operator_reconcile_duration_seconds', (clock.now() - startedAtMs) / 1000, labels)
    }
  }

  #responsibilities(tools: Tools): Responsibility[] {
    const { timing, provider } = this.#options
    const entries = new Entries(tools.client, this.world)
    const identity = new IdentityController({ tools, provider, settleMs: timing.identitySettleMs })
    return [
      new CertificatesController(tools, timing.lives),
      identity,
      new WorkloadController({ tools, identityOf: (key) => identity.verdict(key) }),
      new CredentialsController(tools, entries),
      new AcceptanceController(tools, entries),
      new ProtectionController(tools, timing.deletionHoldMs),
    ]
  }

  #queueOf(work: Responsibility): WorkQueue {
    const { clock, random, metrics } = this.#options
    const depth = (waiting: number) => metrics.set('causeway_operator_queue_depth', waiting, { controller: work.name })
    return new WorkQueue({ clock, random, hooks: { depth } })
  }

  /** Tried again every few seconds: told when it begins and when it becomes something else. */
  #failing(type: ResourceType<never>, error: KubeError): void {
    const level = this.#failures.get(type.plural) === error.code ? 'debug' : 'warn'
    this.#failures.set(type.plural, error.code)
    this.#options.logger[level]({ resource: type.plural, code: error.code, err: error }, 'cannot be watched')
  }
}

interface Running {
  readonly work: Responsibility
  readonly queue: WorkQueue
  controller?: { stop(): Promise<void> }
}

const SYNC_LOOK_MS = 50
/** The first ones are races that end by themselves. */
const QUIET_FAILURES = 3
