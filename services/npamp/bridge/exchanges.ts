import type { AssociationCore, FrameTicket } from '../association/contract.ts'
import type { CarriageRules } from './carriage-rules.ts'
import type { RouteContext, SafetyLabel } from './contract.ts'
import { CorrelationIds } from './correlation-ids.ts'
import type { IncomingExchange, OutgoingExchange } from './events.ts'
import { idKey } from './jsonrpc/id.ts'

/** A request of ours while it is open; to the outside an `OutgoingExchange`. */
export class Outgoing implements OutgoingExchange {
  readonly side = 'mine'
  readonly protocolId: number
  readonly rules: CarriageRules
  readonly correlationId: Uint8Array
  readonly key: string
  readonly method: string
  readonly idToken: Uint8Array
  readonly route: RouteContext | undefined
  state: OutgoingExchange['state'] = 'queued'
  ordinal = 0
  sequence: bigint | undefined
  ticket: FrameTicket | undefined
  cancelExpiresAt = 0
  #idKey: string | undefined

  constructor(
    fields: Pick<Outgoing, 'protocolId' | 'rules' | 'correlationId' | 'key' | 'method' | 'idToken' | 'route'>,
  ) {
    this.protocolId = fields.protocolId
    this.rules = fields.rules
    this.correlationId = fields.correlationId
    this.key = fields.key
    this.method = fields.method
    this.idToken = fields.idToken
    this.route = fields.route
  }

  get idKey(): string {
    this.#idKey ??= idKey(this.idToken)
    return this.#idKey
  }

  /** From here on the peer may have it (CARRIAGE section 4). */
  taken(sequence: bigint, ordinal: number): void {
    this.sequence = sequence
    this.ordinal = ordinal
    if (this.state === 'queued') this.state = 'sent'
  }
}

/** A request of the peer's until it is answered; to the outside an `IncomingExchange`. */
export class Incoming implements IncomingExchange {
  readonly side = 'theirs'
  readonly protocolId: number
  readonly rules: CarriageRules
  readonly contentType: number
  readonly correlationId: Uint8Array
  readonly key: string
  readonly method: string
  readonly idToken: Uint8Array | undefined
  readonly label: SafetyLabel | undefined
  readonly route: RouteContext | undefined
  readonly ordinal: number
  state: IncomingExchange['state'] = 'open'
  #idKey: string | undefined

  constructor(
    fields: Pick<
      Incoming,
      | 'protocolId'
      | 'rules'
      | 'contentType'
      | 'correlationId'
      | 'key'
      | 'method'
      | 'idToken'
      | 'label'
      | 'route'
      | 'ordinal'
    >,
  ) {
    this.protocolId = fields.protocolId
    this.rules = fields.rules
    this.contentType = fields.contentType
    this.correlationId = fields.correlationId
    this.key = fields.key
    this.method = fields.method
    this.idToken = fields.idToken
    this.label = fields.label
    this.route = fields.route
    this.ordinal = fields.ordinal
  }

  get idKey(): string | undefined {
    this.#idKey ??= this.idToken && idKey(this.idToken)
    return this.#idKey
  }
}

/**
 * The open exchanges of an association by correlation id. Two tables, as both sides may use the same id at the same time
 * (digest 04 section 6).
 */
export class Exchanges {
  readonly ids = new CorrelationIds()
  readonly #association: AssociationCore
  readonly #mine = new Map<string, Outgoing>()
  readonly #theirs = new Map<string, Incoming>()
  /** In the order of their expiry. */
  readonly #cancelled = new Set<Outgoing>()

  constructor(association: AssociationCore) {
    this.#association = association
  }

  get openCount(): number {
    return this.#mine.size + this.#theirs.size
  }

  get theirsCount(): number {
    return this.#theirs.size
  }

  isMine(key: string): boolean {
    return this.#mine.has(key)
  }

  isTheirs(key: string): boolean {
    return this.#theirs.has(key)
  }

  mine(key: string): Outgoing | undefined {
    return this.#mine.get(key)
  }

  theirs(key: string): Incoming | undefined {
    return this.#theirs.get(key)
  }

  allMine(): Iterable<Outgoing> {
    return this.#mine.values()
  }

  allTheirs(): Iterable<Incoming> {
    return this.#theirs.values()
  }

  open(exchange: Outgoing | Incoming, now: number): void {
    if (exchange.side === 'mine') this.#mine.set(exchange.key, exchange)
    else this.#theirs.set(exchange.key, exchange)
    this.#association.setOpenExchanges(this.openCount, now)
  }

  /** Ends an exchange; nothing refers to it any more. */
  close(exchange: Outgoing | Incoming, now: number): void {
    exchange.state = 'over'
    if (exchange.side === 'mine') {
      this.#mine.delete(exchange.key)
      this.#cancelled.delete(exchange)
    } else {
      this.#theirs.delete(exchange.key)
    }
    this.#association.setOpenExchanges(this.openCount, now)
  }

  /** The reply of a cancelled request is waited for until then, 60 s at most (CARRIAGE section 5). */
  markCancelled(exchange: Outgoing, expiresAt: number): void {
    exchange.state = 'cancelled'
    exchange.cancelExpiresAt = expiresAt
    this.#cancelled.add(exchange)
  }

  firstCancelled(): Outgoing | undefined {
    return this.#cancelled.values().next().value
  }
}
