import type { AssociationCore, Bridge, NpampError } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { SessionEndReason } from '../exchanges/contract.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import type { LocalTargets } from './local-targets.ts'
import type { PeerCall } from './peer-call.ts'
import type { PeerConfig } from './peer-config.ts'
import type { ProcessBudget } from './read-budget.ts'

/** The association that calls are carried by, as far as they need it. */
export interface CallsHost {
  readonly core: AssociationCore
  readonly bridge: Bridge
  readonly context: AssociationContext
  /** The session of our clients that has the association to itself, because its calls cross without RouteContext. */
  readonly unnamedSession: string | undefined
  /** After anything was asked of the association or its bridge. */
  flush(): void
  pauseReading(paused: boolean): void
  /** Ends the association at once. */
  abort(error: NpampError): void
  /** LINK session-end. */
  endSession(key: Uint8Array, reason: SessionEndReason): void
  exchangeEnded(): void
}

/** What all associations of a relay share. */
export interface AssociationContext {
  readonly clock: Clock
  readonly random: (octets: number) => Uint8Array
  readonly targets: LocalTargets
  readonly processBudget: ProcessBudget
  readonly outgoingWatch: ExchangeWatch
  readonly incomingWatch: ExchangeWatch
  /** Sessions that one association may open at the targets here. */
  maxIncomingSessions: number
  /** The configuration is too old, and nothing is served but what is read_only (CONTROL section 3). */
  readOnly: boolean
}

/** The peer that the calls are with. */
export interface CallsHome {
  readonly config: PeerConfig
  /** Its frame was not sent when the association ended. */
  unsent(call: PeerCall): void
  /** `initialize` got no result, or the peer does not know the session: whoever called was told. */
  sessionOver(sessionId: string, why: 'refused' | 'lost'): void
}
