import type { RouteContext } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { ServerRequest, ServerRequestHandle, ServerRequestSink, Session } from '../exchanges/contract.ts'
import { Delivery, type Turn } from './delivery.ts'
import { hex } from './incoming-sessions.ts'

export interface PinnedSessionHost {
  readonly clock: Clock
  /** Octets that wait for the client, positive and negative. */
  readonly onHeld: (session: PinnedSession, octets: number) => void
  readonly onNotificationsLost: (reason: string, count: number) => void
}

/**
 * A session of a client of this relay, on the association that it is pinned to, and the way of what its server says outside
 * any call: in the order in which it came, whether the client keeps up or not.
 */
export class PinnedSession {
  readonly session: Session
  /** Wire name of its target; undefined: its messages name neither target nor session. */
  readonly targetName: string | undefined
  readonly #host: PinnedSessionHost
  /** Most sessions hear nothing outside their calls. */
  #delivery: Delivery | undefined
  #over = false

  constructor(session: Session, targetName: string | undefined, host: PinnedSessionHost) {
    this.session = session
    this.targetName = targetName
    this.#host = host
  }

  get heldOctets(): number {
    return this.#delivery?.heldOctets ?? 0
  }

  /** Whether there is anybody to whom the server can say something outside a call. */
  get hasClient(): boolean {
    return this.session.client !== undefined
  }

  notification(octets: Uint8Array): void {
    if (this.#over || !this.hasClient) this.#host.onNotificationsLost('no_client', 1)
    else this.#theDelivery.notification(octets)
  }

  ask(request: ServerRequest, answer: ServerRequestSink): ServerRequestHandle | undefined {
    return this.session.client?.request(request, answer)
  }

  inTurn(turn: Turn): void {
    if (this.#over) turn.lost()
    else this.#theDelivery.inTurn(turn)
  }

  /** What waits for the client is given up: others need the memory. */
  loseHeld(): void {
    const delivery = this.#delivery
    this.#delivery = undefined
    this.#host.onNotificationsLost('client_budget', delivery?.drop() ?? 0)
  }

  end(): void {
    this.#over = true
    this.#delivery?.drop()
    this.#delivery = undefined
  }

  /** What comes from now on goes to the client again, which bounds what it holds itself. */
  #tooSlow(why: 'overflow' | 'stall', lost: number): void {
    this.#delivery = undefined
    this.#host.onNotificationsLost(`client_${why}`, lost)
  }

  get #theDelivery(): Delivery {
    if (this.#delivery !== undefined) return this.#delivery
    const { clock, onHeld } = this.#host
    const delivery: Delivery = new Delivery(
      { notification: (octets) => this.session.client?.notification(octets, () => delivery.resume()) ?? 'ok' },
      { clock, onHeld: (octets) => onHeld(this, octets), onTooSlow: (why, lost) => this.#tooSlow(why, lost) },
    )
    this.#delivery = delivery
    return delivery
  }
}

/** Whether a peer's message names this target and session; one that names nothing says it by what it is related to. */
export function namesSame(
  route: RouteContext | undefined,
  targetName: string | undefined,
  session: Session | undefined,
): boolean {
  if (route === undefined) return true
  return route.target === targetName && (route.session && hex(route.session)) === session?.id
}
