import { setTimeout as delay } from 'node:timers/promises'
import { type ApiClient, ApiError } from '../api/client.ts'
import type { PodObject } from './pod-object.ts'

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

export interface PodState {
  readonly phase: PodPhase
  readonly ready: boolean
  readonly restarts: number
}

/** Also the time for which an API server that is gone is left alone. */
const RETRY_MS = 250

/** Tells the API server what becomes of a pod: the last state, however often one cannot be told. */
export class PodStatus {
  readonly #client: ApiClient
  readonly #pod: PodObject
  readonly #startedAt = new Date().toISOString()
  readonly #signal: AbortSignal
  #wanted: string | undefined
  #said: string | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(client: ApiClient, pod: PodObject, signal: AbortSignal) {
    this.#client = client
    this.#pod = pod
    this.#signal = signal
  }

  say(state: PodState): void {
    this.#wanted = JSON.stringify(statusOf(this.#pod, state, this.#startedAt))
    this.#turn = this.#turn.then(() => this.#tell())
  }

  get told(): Promise<void> {
    return this.#turn
  }

  async #tell(): Promise<void> {
    const { namespace, name } = this.#pod.metadata
    while (!this.#signal.aborted && this.#wanted !== this.#said) {
      const wanted = this.#wanted
      try {
        await this.#client.send({
          method: 'PATCH',
          path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
          contentType: 'application/merge-patch+json',
          body: { metadata: { uid: this.#pod.metadata.uid }, status: JSON.parse(wanted ?? '') },
          signal: this.#signal,
        })
        this.#said = wanted
      } catch (error) {
        // Gone, or another one of the same name by now.
        if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return
        await delay(RETRY_MS, undefined, { signal: this.#signal }).catch(() => {})
      }
    }
  }
}

function statusOf({ spec }: PodObject, { phase, ready, restarts }: PodState, startedAt: string): object {
  const condition = (type: string, holds: boolean) => ({ type, status: holds ? 'True' : 'False' })
  const state = { Pending: 'waiting', Running: 'running', Succeeded: 'terminated', Failed: 'terminated' }[phase]
  const terminated = { exitCode: phase === 'Failed' ? 1 : 0 }
  return {
    phase,
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    startTime: startedAt,
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', true),
      condition('ContainersReady', ready),
      condition('Ready', ready),
    ],
    containerStatuses: spec.containers.map(({ name }) => ({
      name,
      ready,
      started: phase === 'Running',
      restartCount: restarts,
      image: 'sources',
      imageID: '',
      state: { [state]: state === 'running' ? { startedAt } : state === 'terminated' ? terminated : {} },
    })),
  }
}
