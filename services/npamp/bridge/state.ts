import type { AssociationCore, PeerCapabilities } from '../association/contract.ts'
import type { BridgeCounters, DropReason } from './events.ts'
import { Exchanges } from './exchanges.ts'
import { ANNOUNCED_TLV_TYPES } from './extensions/announced.ts'
import type { Utf8Check } from './jsonrpc/json-text.ts'
import type { ScanOptions } from './jsonrpc/scan.ts'
import { type KnownTlvs, NO_EXTENSIONS } from './payload.ts'

export interface BridgeOptions {
  /** Native UTF-8 check (`isUtf8` of `node:buffer`); else a decoder of the language does it, slower. */
  readonly isUtf8?: Utf8Check
  /** Requests of the peer that may be open at once; one more is answered QuotaExceeded. Default 16,384. */
  readonly maxOpenIncoming?: number
  /** Key 2 of our HELLO, where it lists other than ANNOUNCED_TLV_TYPES. */
  readonly announcedTlvTypes?: ReadonlySet<number>
}

const DEFAULT_MAX_OPEN_INCOMING = 16_384
const ANNOUNCED: KnownTlvs = new Set(ANNOUNCED_TLV_TYPES)

/** What the two directions of one Bridge share. */
export class BridgeState {
  readonly association: AssociationCore
  readonly exchanges: Exchanges
  readonly scan: ScanOptions
  readonly maxOpenIncoming: number
  readonly counters: BridgeCounters = {
    requestsSent: 0,
    requestsReceived: 0,
    repliesSent: 0,
    repliesReceived: 0,
    failuresSent: 0,
    failuresReceived: 0,
    notificationsSent: 0,
    notificationsReceived: 0,
    dropped: new Map(),
  }
  /** From the `ready` event on, which stands in order with the frames, unlike the association's own state. */
  peer: PeerCapabilities | undefined
  ended = false
  readonly #announced: KnownTlvs

  constructor(association: AssociationCore, options: BridgeOptions) {
    this.association = association
    this.exchanges = new Exchanges(association)
    this.scan = { isUtf8: options.isUtf8 }
    this.maxOpenIncoming = options.maxOpenIncoming ?? DEFAULT_MAX_OPEN_INCOMING
    this.#announced = options.announcedTlvTypes ?? ANNOUNCED
  }

  /** Usable with this peer in both directions. */
  carries(protocolId: number): boolean {
    return this.peer?.protocols.includes(protocolId) ?? false
  }

  /** What we read as TLVs: our HELLO's list, once a HELLO of ours has been sent; a peer of assumed protocols gets none. */
  get weKnow(): KnownTlvs {
    return this.peer?.announced ? this.#announced : NO_EXTENSIONS
  }

  /** What the peer reads as TLVs. */
  get peerKnows(): KnownTlvs {
    return this.peer?.extensions?.tlvTypes ?? NO_EXTENSIONS
  }

  drop(reason: DropReason, count = 1): void {
    if (count > 0) this.counters.dropped.set(reason, (this.counters.dropped.get(reason) ?? 0) + count)
  }
}
