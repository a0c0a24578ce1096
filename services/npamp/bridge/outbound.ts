import type { FrameTicket, OutboundFrame } from '../association/contract.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { ClosedError, IncompatibleError, LimitError, MalformedError, MisbehavedError, NpampError } from '../errors.ts'
import { cancellationOf, carriageOf } from './carriage.ts'
import type { CarriageRules } from './carriage-rules.ts'
import {
  type BridgeEnvelope,
  MESSAGE_KIND,
  OUTCOME,
  type RelatedExchange,
  type RouteContext,
  type SafetyLabel,
  type ServiceParameters,
  TRANSPORT_ERROR,
} from './contract.ts'
import { FRAME_TYPE_OF, type MessageKind } from './envelope.ts'
import type {
  CancelFate,
  FailureInput,
  IncomingExchange,
  NotificationInput,
  OutgoingExchange,
  ReplyFate,
  ReplyInput,
  RequestInput,
} from './events.ts'
import { type Incoming, Outgoing } from './exchanges.ts'
import { defaultOutcome } from './extensions/delivery-outcome.ts'
import { type ExtensionValues, encodeExtensions } from './extensions/encode.ts'
import { replyParameters, type SiftedParameters, withoutForbidden } from './extensions/parameter-rules.ts'
import { encodePayload } from './payload.ts'
import type { BridgeState } from './state.ts'
import { encodeTransportError } from './transport-error.ts'

/** CARRIAGE section 5. */
const CANCEL_WAIT_MS = 60_000
/**
 * Ours: transport errors that the peer provoked and has not read, beyond one for each exchange that it may have open: those
 * may all fail at once. One more and it does so on purpose.
 */
const MAX_UNSENT_REFUSALS = 4096

/** Everything the Bridge puts on the wire. */
export class Outbound {
  readonly #state: BridgeState
  #unsentFailures = 0

  constructor(state: BridgeState) {
    this.#state = state
  }

  request(input: RequestInput, now: number): Outgoing {
    const { association, exchanges, counters, scan } = this.#state
    const rules = this.#usable(input.protocolId)
    if (association.queueFull) throw new LimitError('SEND_QUEUE_FULL', 'the send queue of the association is full')
    const { foreign, method, idToken } = rules.outgoingRequest(input.octets, input.message, scan)
    const id = exchanges.ids.choose(idToken, (key) => exchanges.isMine(key), now)
    const exchange = new Outgoing({
      protocolId: input.protocolId,
      rules,
      correlationId: id.octets,
      key: id.key,
      method,
      idToken: idToken.slice(),
      route: input.route,
    })
    exchange.ticket = this.#send({
      kind: MESSAGE_KIND.REQUEST,
      envelope: { protocolId: input.protocolId, contentType: rules.contentType, correlationId: id.octets, method },
      label: input.label,
      extensions: this.#context(input.route, input.related, input.parameters),
      foreign,
      onTaken: (sequence, ordinal) => exchange.taken(sequence, ordinal),
    })
    exchanges.open(exchange, now)
    counters.requestsSent += 1
    return exchange
  }

  notify(input: NotificationInput): void {
    const rules = this.#usable(input.protocolId)
    const { foreign, method } = rules.outgoingNotification(input.octets, input.message, this.#state.scan)
    this.#send({
      kind: MESSAGE_KIND.NOTIFY,
      envelope: { protocolId: input.protocolId, contentType: rules.contentType, correlationId: NO_ID, method },
      extensions: this.#context(input.route, input.related),
      foreign,
    })
    this.#state.counters.notificationsSent += 1
  }

  respond(exchange: Incoming, reply: ReplyInput, now: number): ReplyFate {
    if (exchange.state === 'over') return this.#tooLate()
    const { exchanges, counters, scan, association } = this.#state
    const parameters = this.#sifted(replyParameters, reply.parameters)
    try {
      this.#send({
        kind: reply.kind === 'result' ? MESSAGE_KIND.RESPONSE : MESSAGE_KIND.ERROR,
        envelope: replyEnvelope(exchange),
        extensions: this.#spoken({ parameters }),
        foreign: exchange.rules.outgoingReply(reply.kind, reply.octets, reply.message, exchange.idToken, scan),
        onTaken: reply.onTaken,
      })
    } catch (error) {
      if (error instanceof ClosedError) return this.#tooLate()
      const instead = insteadOf(error, association.peerMaxFrameOctets)
      return this.fail(exchange, instead, now) === 'queued' ? 'replaced' : 'dropped'
    }
    exchanges.close(exchange, now)
    counters.repliesSent += 1
    return 'queued'
  }

  fail(exchange: Incoming, failure: FailureInput, now: number): ReplyFate {
    if (exchange.state === 'over') return this.#tooLate()
    if (!this.#trySendFailure(exchange, failure, now)) return this.#tooLate()
    this.#state.exchanges.close(exchange, now)
    return 'queued'
  }

  /** Answers a request that never becomes an exchange. */
  refuse(
    envelope: Pick<BridgeEnvelope, 'protocolId' | 'contentType' | 'correlationId'>,
    failure: FailureInput,
    now: number,
  ): void {
    // Closing already: the association's end tells the peer.
    this.#trySendFailure(envelope, failure, now)
  }

  cancel(exchange: Outgoing, now: number, own?: Pick<NotificationInput, 'octets' | 'message'>): CancelFate {
    const { exchanges } = this.#state
    if (exchange.state === 'over' || exchange.state === 'cancelled') return 'over'
    if (exchange.state === 'queued' && exchange.ticket?.withdraw()) {
      exchanges.close(exchange, now)
      return 'withdrawn'
    }
    const built = cancellationOf(exchange.protocolId)?.build(exchange.idToken)
    if (own === undefined || !this.#tryNotify(exchange, own))
      if (built !== undefined) this.#tryNotify(exchange, { octets: built })
    exchanges.markCancelled(exchange, now + CANCEL_WAIT_MS)
    return 'sent'
  }

  #tryNotify(exchange: Outgoing, notification: Pick<NotificationInput, 'octets' | 'message'>): boolean {
    const { protocolId, route } = exchange
    try {
      this.notify({ ...notification, protocolId, route, related: exchange })
      return true
    } catch (error) {
      if (error instanceof NpampError) return false
      throw error
    }
  }

  /** What may be sent to this peer at all. Throws ClosedError, IncompatibleError. */
  #usable(protocolId: number): CarriageRules {
    const { peer, ended } = this.#state
    if (ended) throw new ClosedError('CLOSED', 'the association is over')
    if (peer === undefined) throw new IncompatibleError('NO_HELLO', 'the peer has not said what it carries')
    const rules = this.#state.carries(protocolId) ? carriageOf(protocolId) : undefined
    if (rules === undefined)
      throw new IncompatibleError('PROTOCOL_UNSUPPORTED', `protocol ${protocolId} is not usable with this peer`)
    return rules
  }

  /** False when the association is over, or ends now because of a peer that does not read its failures. */
  #trySendFailure(
    envelope: Pick<BridgeEnvelope, 'protocolId' | 'contentType' | 'correlationId'>,
    failure: FailureInput,
    now: number,
  ): boolean {
    const { association, maxOpenIncoming } = this.#state
    if (this.#unsentFailures >= MAX_UNSENT_REFUSALS + maxOpenIncoming) {
      association.abort(new MisbehavedError('RATE', 'the peer provokes refusals and does not read them'), now)
      return false
    }
    try {
      this.#sendFailure(envelope, failure, () => {
        this.#unsentFailures -= 1
      })
    } catch (error) {
      if (error instanceof ClosedError) return false
      throw error
    }
    this.#unsentFailures += 1
    return true
  }

  #sendFailure(
    envelope: Pick<BridgeEnvelope, 'protocolId' | 'contentType' | 'correlationId'>,
    failure: FailureInput,
    onTaken: () => void,
  ): void {
    const parameters = this.#sifted(replyParameters, failure.parameters)
    const outcome = { outcome: failure.outcome ?? defaultOutcome(failure.code), reason: failure.reason ?? 0 }
    this.#send({
      kind: MESSAGE_KIND.ERROR,
      envelope: replyEnvelope(envelope),
      extensions: this.#spoken({ parameters, outcome }),
      foreign: encodeTransportError(failure),
      onTaken,
    })
    this.#state.counters.failuresSent += 1
  }

  #send(frame: OutgoingFrame): FrameTicket {
    const { kind, envelope, label, extensions, foreign, onTaken } = frame
    const payload = { envelope: { ...envelope, kind, flags: 0 }, label, extensions, foreign }
    return this.#state.association.send({
      channel: CHANNEL.BRIDGE,
      type: FRAME_TYPE_OF[kind],
      parts: encodePayload(payload, this.#state.peerKnows),
      onTaken,
    })
  }

  #context(
    route: RouteContext | undefined,
    related: OutgoingExchange | IncomingExchange | undefined,
    parameters?: ServiceParameters,
  ): ReadonlyMap<number, Uint8Array> {
    return this.#spoken({
      parameters: this.#sifted(withoutForbidden, parameters),
      related: related && relationTo(related),
      route,
    })
  }

  #spoken(values: ExtensionValues): ReadonlyMap<number, Uint8Array> {
    return encodeExtensions(values, this.#state.peerKnows)
  }

  #sifted(rule: (all: ServiceParameters) => SiftedParameters, all: ServiceParameters | undefined) {
    if (all === undefined) return undefined
    const { kept, dropped } = rule(all)
    this.#state.drop('parameter', dropped)
    return kept.size === 0 ? undefined : kept
  }

  /** An answer to an exchange that is over reaches nobody (BRG-019: and nobody is told that it did). */
  #tooLate(): ReplyFate {
    this.#state.drop('reply_after_end')
    return 'dropped'
  }
}

interface OutgoingFrame {
  readonly kind: MessageKind
  readonly envelope: Omit<BridgeEnvelope, 'kind' | 'flags'>
  readonly label?: SafetyLabel
  readonly extensions: ReadonlyMap<number, Uint8Array>
  readonly foreign: Uint8Array
  readonly onTaken?: OutboundFrame['onTaken']
}

const NO_ID = new Uint8Array(0)

/** BRG-013. A reply names no method. */
function replyEnvelope(
  request: Pick<BridgeEnvelope, 'protocolId' | 'contentType' | 'correlationId'>,
): OutgoingFrame['envelope'] {
  const { protocolId, contentType, correlationId } = request
  return { protocolId, contentType, correlationId, method: '' }
}

/** Absent where that exchange is over: the peer would not find it. */
function relationTo(exchange: OutgoingExchange | IncomingExchange): RelatedExchange | undefined {
  if (exchange.state === 'over') return undefined
  return { originator: exchange.side === 'mine' ? 0 : 1, correlationId: exchange.correlationId }
}

function insteadOf(error: unknown, peerMaxFrameOctets: number): FailureInput {
  if (error instanceof LimitError && error.code === 'PEER_FRAME_LIMIT')
    return notDelivered(`the answer does not fit a frame of ${peerMaxFrameOctets} octets, the most this peer accepts`)
  if (error instanceof MalformedError) return notDelivered('the endpoint gave no answer that fits the request')
  throw error
}

function notDelivered(message: string): FailureInput {
  return { code: TRANSPORT_ERROR.NOT_DELIVERED, message, outcome: OUTCOME.UNKNOWN }
}
