import { create } from '@bufbuild/protobuf'
import type { Clock } from '@causeway/kube'
import {
  type Hello,
  type InstanceStatus,
  type ReconnectReason,
  RpcError,
  type ServedConfigStream,
  type StreamConfigRequest,
  StreamConfigResponseSchema,
} from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import type { ObjectKey } from '../snapshot/object-key.ts'
import type { InstanceName } from '../status/instance.ts'
import type { InstanceTable } from '../status/instance-table.ts'
import { type Confirmation, Delivery, type DeliveryView, type Outcome } from './delivery.ts'
import type { RefusedResource } from './held.ts'
import { statusOf } from './said.ts'
import type { ServerMetrics } from './server-metrics.ts'
import { Timers } from './timers.ts'
import type { StreamTiming } from './timing.ts'

export interface InstanceStreamOptions {
  readonly instance: InstanceName
  readonly stream: ServedConfigStream
  readonly hello: Hello
  /** What its relay is to have, as it is whenever it is looked at. */
  readonly view: DeliveryView
  /** Lists everything anew, consistently. Rejects only when everything ends. */
  readonly list: () => Promise<void>
  readonly instances: InstanceTable
  /** The first Delta of this stream has been answered. */
  readonly onServing: () => void
  readonly timing: StreamTiming
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ServerMetrics
}

type TimerName = 'settle' | 'reply' | 'hold' | 'retry' | 'end'

/** One instance and its stream, from its Hello on: what it lacks goes out, what it answers comes in. */
export class InstanceStream {
  readonly instance: InstanceName
  readonly #options: InstanceStreamOptions
  readonly #delivery: Delivery
  readonly #timers: Timers<TimerName>
  #retryMs: number
  /** All that the instance refuses, as it said last. */
  #refused: ReadonlyMap<ObjectKey, RefusedResource> = new Map()
  #isListing = false
  #isServing = false
  #sentAt = 0
  /** An older stream of the same process: the newer one has what is sent. */
  #isSuperseded = false
  #isOver = false

  constructor(options: InstanceStreamOptions) {
    this.instance = options.instance
    this.#options = options
    this.#delivery = new Delivery(options.hello, options.view.snapshot)
    this.#timers = new Timers(options.clock)
    this.#retryMs = options.timing.retryMs
  }

  /** Resolves when the stream is over. */
  get closed(): Promise<unknown> {
    return this.#options.stream.closed
  }

  /** What it takes to remember what only the instance says that it has. */
  get foreignOctets(): number {
    return this.#isServing ? 0 : this.#delivery.foreignOctets
  }

  /** Sends what the instance lacks, and the first Delta in any case. */
  start(): void {
    this.#flush('none')
  }

  /** These resources may be different now. */
  changed(keys: Iterable<ObjectKey>): void {
    this.#delivery.mark(keys)
    this.#timers.start('settle', this.#options.timing.settleMs, () => this.#flush('none'))
  }

  /** Takes a message other than Hello. */
  take({ message }: StreamConfigRequest): void {
    switch (message.case) {
      case 'reply':
        this.#timers.stop('reply')
        this.#concluded(this.#delivery.replied(message.value))
        return
      case 'status':
        this.#status(message.value)
        return
      default:
        this.fail(new RpcError('INVALID_ARGUMENT', 'a message that is no answer and no status after Hello'))
    }
  }

  #status(said: InstanceStatus): void {
    if (this.#isSuperseded) return
    this.#options.instances.status(
      this.instance,
      statusOf(said, (key) => this.#delivery.has(key)),
    )
  }

  /** A newer stream of the same process is open: nothing more is sent here, and what is said here counts no more. */
  supersede(): void {
    this.#isSuperseded = true
    this.#timers.stopAll()
    this.#timers.start('end', this.#options.timing.moveMs, () => this.end())
  }

  /** Asks for another stream, and ends this one after a while. */
  askToMove(reason: ReconnectReason, withinMs: number): void {
    if (this.#isOver || this.#isSuperseded) return
    this.#options.stream.send(
      create(StreamConfigResponseSchema, { message: { case: 'reconnect', value: { withinMs, reason } } }),
    )
    this.#timers.start('end', withinMs, () => this.end())
  }

  end(): void {
    this.close()
    this.#options.stream.end()
  }

  fail(error: RpcError): void {
    this.close()
    this.#options.stream.fail(error)
  }

  /** The stream is over, whoever ended it. */
  close(): void {
    this.#isOver = true
    this.#timers.stopAll()
  }

  #flush(confirmation: Confirmation): void {
    if (this.#isOver || this.#isSuperseded || this.#isListing || this.#timers.isRunning('retry')) return
    const { view, timing, logger, metrics, clock } = this.#options
    const step = this.#delivery.next(view, confirmation)
    if (step.do !== 'hold') this.#timers.stop('hold')
    switch (step.do) {
      case 'nothing':
        return
      case 'list':
        metrics.staleSources()
        this.#list()
        return
      case 'hold':
        if (this.#timers.isRunning('hold')) return
        metrics.heldDeltas()
        logger.warn(
          { ...this.#names(), removals: step.removals, held: step.held },
          'a change would remove most of what the instance has; it waits and is confirmed by a fresh list',
        )
        this.#timers.start('hold', timing.holdMs, () => this.#list())
        return
      case 'refuse': {
        // Only another configuration makes it smaller: with the next change it is tried again.
        const message = `what the relay lacks has ${step.octets} octets, more than one message has room for`
        this.#refuseAll({ is: 'not taken', reason: 'TooLarge', message, keys: step.keys })
        return
      }
      case 'send': {
        const { upserts, removals, rewound } = step.delta
        this.#sentAt = clock.now()
        metrics.sent(upserts.length, removals.length)
        logger.debug(
          {
            ...this.#names(),
            nonce: Number(step.delta.nonce),
            upserts: upserts.length,
            removals: removals.length,
            rewound,
          },
          'configuration sent',
        )
        this.#options.stream.send(create(StreamConfigResponseSchema, { message: { case: 'delta', value: step.delta } }))
        this.#timers.start('reply', timing.replyMs, () => {
          this.fail(new RpcError('DEADLINE_EXCEEDED', 'a Delta was not answered in time'))
        })
      }
    }
  }

  /** Everything anew, then on. */
  #list(): void {
    this.#isListing = true
    this.#options.list().then(
      () => {
        this.#isListing = false
        this.#flush('fresh list')
      },
      // The source is closed, and with it everything.
      () => {},
    )
  }

  #concluded(outcome: Outcome): void {
    const { metrics, logger, clock } = this.#options
    switch (outcome.is) {
      case 'accepted':
        this.#accepted(outcome.changed, outcome.refused)
        return
      case 'stale':
        metrics.answered('stale', clock.now() - this.#sentAt)
        this.#flush('none')
        return
      case 'not taken':
        metrics.answered('not_taken', clock.now() - this.#sentAt)
        this.#refuseAll(outcome)
        this.#timers.start('retry', this.#retryMs, () => this.#flush('none'))
        this.#retryMs = Math.min(this.#retryMs * 2, this.#options.timing.maxRetryMs)
        return
      case 'inconsistent':
        metrics.answered('inconsistent', clock.now() - this.#sentAt)
        logger.warn(this.#names(), `an instance and this process do not agree: ${outcome.message}`)
        this.fail(new RpcError('ABORTED', 'the configuration that was said is not the one that is held'))
    }
  }

  #refuseAll(outcome: Extract<Outcome, { is: 'not taken' }>): void {
    const text = `an instance did not take a change: ${outcome.message}`
    this.#options.logger.warn({ ...this.#names(), reason: outcome.reason }, text)
    this.#tell(new Map(), this.#notTaken(outcome))
  }

  #accepted(
    changed: ReadonlyMap<ObjectKey, string | undefined>,
    refused: ReadonlyMap<ObjectKey, RefusedResource>,
  ): void {
    const { metrics, timing, clock, onServing, logger } = this.#options
    this.#retryMs = timing.retryMs
    if (this.#sentAt > 0 && !this.#delivery.isOutstanding) {
      metrics.answered('accepted', clock.now() - this.#sentAt)
      this.#sentAt = 0
    }
    for (const [key, { reason, fieldPath, message }] of refused) {
      logger.debug({ ...this.#names(), object: key, reason, fieldPath }, `an instance refuses a resource: ${message}`)
    }
    this.#refused = refused
    this.#tell(changed, refused)
    if (!this.#isServing) {
      this.#isServing = true
      onServing()
    }
    this.#flush('none')
  }

  /** What it refuses anyway, and each part of the change. */
  #notTaken({ keys, reason, message }: Extract<Outcome, { is: 'not taken' }>): ReadonlyMap<ObjectKey, RefusedResource> {
    const refused = new Map(this.#refused)
    for (const key of keys) {
      const versionHex = this.#options.view.snapshot.get(key)?.versionHex
      if (versionHex !== undefined) refused.set(key, { versionHex, reason, fieldPath: '', message })
    }
    return refused
  }

  #tell(changed: ReadonlyMap<ObjectKey, string | undefined>, refused: ReadonlyMap<ObjectKey, RefusedResource>): void {
    if (!this.#isSuperseded) this.#options.instances.delivered(this.instance, changed, refused)
  }

  #names() {
    const { namespace, relay, ordinal } = this.instance
    return { relay: `${namespace}/${relay}`, ordinal }
  }
}
