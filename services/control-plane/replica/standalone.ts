import type { Clock } from '@causeway/kube'
import type { Logger, Metrics } from '@causeway/telemetry'
import { ControlPlane } from '../control-plane.ts'
import type { FilesSource } from '../sources/files/files-source.ts'
import { STATUS_TIMING } from '../status/aggregator.ts'
import { MemoryStatus } from '../status/memory-sink.ts'
import { type StatusDocument, statusDocument } from './status-document.ts'

export interface StandaloneOptions {
  /** Read once, and not started. */
  readonly files: FilesSource
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
}

/** A control plane without Kubernetes: objects from files, statuses kept here. */
export class Standalone {
  readonly plane: ControlPlane
  readonly metrics: Metrics
  readonly #statuses: MemoryStatus
  readonly #startedAtMs: number

  constructor(options: StandaloneOptions) {
    const { files, clock, metrics } = options
    this.metrics = metrics
    this.#startedAtMs = clock.wallNow()
    this.#statuses = new MemoryStatus(clock)
    this.plane = new ControlPlane({
      ...options,
      place: 'files',
      installation: undefined,
      installationNamespace: undefined,
      label: (relay, ordinal) => `${relay}-${ordinal}`,
    })
    this.plane.readFrom((observer) => files.start(observer))
    // Nobody else has anything to say: there is nothing to collect first.
    this.plane.lead(this.#statuses, { ...STATUS_TIMING, collectingMs: 0 })
  }

  /** Pages of an admin listener: `/status` has every object with its status, as `causeway get` reads it. */
  get documents(): ReadonlyMap<string, () => object> {
    return new Map([['/status', () => this.status()]])
  }

  status(): StatusDocument {
    return statusDocument(this.plane.configuration, this.#statuses, this.#startedAtMs)
  }

  /** Ends everything now. Never rejects. */
  close(): Promise<void> {
    return this.plane.close()
  }
}
