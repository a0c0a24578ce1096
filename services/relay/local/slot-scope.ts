import { OUTCOME } from '@causeway/npamp'
import type { Backend, BackendScope, SessionLostCallback } from '../backends/contract.ts'
import type {
  CallFailure,
  CallHandle,
  CallRequest,
  CallSink,
  ClientNotification,
  Session,
  SessionEndReason,
} from '../exchanges/contract.ts'
import type { TargetScope } from '../mesh/local-targets.ts'

/** Where a scope looks up which backend is there now. */
export interface Place {
  readonly name: string
  readonly backend: Backend | undefined
}

/** One caller's view of a place for backends: of the one that is there now, and of those before it that still end. */
export class SlotScope implements TargetScope {
  readonly name: string
  readonly #place: Place
  readonly #onSessionLost: SessionLostCallback
  readonly #onEnded: () => void
  #backend: Backend | undefined
  #scope: BackendScope | undefined
  readonly #earlier = new Map<Backend, BackendScope>()

  constructor(place: Place, onSessionLost: SessionLostCallback, onEnded: () => void) {
    this.name = place.name
    this.#place = place
    this.#onSessionLost = onSessionLost
    this.#onEnded = onEnded
  }

  call(request: CallRequest, sink: CallSink): CallHandle {
    const scope = this.#scopeOf(request.session)
    if (scope !== undefined) return scope.call(request, sink)
    sink.fail(noBackend(this.name))
    return NOTHING_TO_HANDLE
  }

  notify(notification: ClientNotification): void {
    this.#scopeOf(notification.session)?.notify(notification)
  }

  endSession(session: Session, reason: SessionEndReason): void {
    this.#scopeOf(session)?.endSession(session, reason)
  }

  end(reason: SessionEndReason): void {
    this.#scope?.end(reason)
    for (const scope of this.#earlier.values()) scope.end(reason)
    this.#earlier.clear()
    this.#onEnded()
  }

  /** This backend has closed. */
  forget(backend: Backend): void {
    this.#earlier.delete(backend)
    if (this.#backend !== backend) return
    this.#backend = undefined
    this.#scope = undefined
  }

  #scopeOf(session: Session | undefined): BackendScope | undefined {
    if (this.#backend !== this.#place.backend) this.#move()
    if (session !== undefined && this.#earlier.size > 0) {
      for (const scope of this.#earlier.values()) if (scope.knows(session.id)) return scope
    }
    return this.#scope
  }

  #move(): void {
    if (this.#backend !== undefined && this.#scope !== undefined) this.#earlier.set(this.#backend, this.#scope)
    this.#backend = this.#place.backend
    this.#scope = this.#backend?.scope(this.#onSessionLost)
  }
}

function noBackend(name: string): CallFailure {
  return {
    code: 'NotDelivered',
    outcome: OUTCOME.NOT_DELIVERED,
    message: `${name} is not configured on this relay`,
    hint: 'check that the MeshBackend exists and that its Programmed condition is True',
  }
}

const NOTHING_TO_HANDLE: CallHandle = { cancel() {}, resume() {} }
