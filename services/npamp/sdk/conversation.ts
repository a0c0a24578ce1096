import { isUtf8 } from 'node:buffer'
import {
  type BridgeEvent,
  CANCELLED_METHOD,
  ClosedError,
  type FailureInput,
  type IncomingExchange,
  MisuseError,
  type OutgoingExchange,
  type RouteContext,
  type SafetyLabel,
  type ScannedMessage,
  type ServiceParameters,
  scanMessage,
  type TransportFailure,
} from '../index.ts'
import type { Carrier, Party } from './carrier.ts'
import { type Failure, failureMessage, failureOf, refusalOf } from './failures.ts'
import { Inbox } from './inbox.ts'
import { isRequestId, keyOf, parse, print, printReply, requestOf, sdkId } from './json-rpc.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'
import { CANCELLED, TOO_MUCH_WAITING } from './refusals.ts'
import type { JsonRpcMessage, McpTransport, RequestId, SendOptions } from './transport.ts'

/** How one request leaves, and who else hears what became of it. */
export interface Sending extends Pick<OpenRequest, 'onEnd'> {
  readonly label: SafetyLabel
  readonly parameters?: ServiceParameters
}

/**
 * One scope of JSON-RPC ids on an association (CARRIAGE section 2), as the Transport of an SDK: a session of the legacy era,
 * one exchange of the modern one, or what a client has with one target. It keeps the books of who waits for whom; the SDK
 * never sees the ids of another scope.
 */
export abstract class Conversation implements McpTransport, Party {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: JsonRpcMessage) => void) | undefined
  sessionId: string | undefined
  readonly #asked = new OpenRequests()
  /** What the SDK owes an answer to, by the id that it knows. */
  readonly #owed = new Map<string, IncomingExchange>()
  readonly #inbox = new Inbox({
    deliver: (message) => this.#guarded(() => this.onmessage?.(message)),
    onEnd: () => this.#guarded(() => this.onclose?.()),
  })
  #over = false
  protected readonly association: Carrier

  constructor(association: Carrier) {
    this.association = association
    association.add(this)
  }

  abstract get route(): RouteContext | undefined

  get over(): boolean {
    return this.#over
  }

  protected get openRequests(): number {
    return this.#asked.size
  }

  /** Whether an SDK has it. */
  protected get started(): boolean {
    return this.#inbox.started
  }

  // --- McpTransport ---

  async start(): Promise<void> {
    if (this.#over) throw closedError()
    if (this.#inbox.started) throw new MisuseError('STATE', 'the transport was started already')
    this.#inbox.start()
  }

  async send(message: JsonRpcMessage, options: SendOptions = {}): Promise<void> {
    if (this.#over) throw closedError()
    await this.association.whenRoom(() => {
      if (this.#over) throw closedError()
      if (message.method === undefined) this.#answer(message)
      else if (message.id === undefined) this.#tell(message, options)
      else this.#ask(message, message.id, options)
    })
  }

  abstract close(): Promise<void>

  // --- what a scope adds ---

  protected abstract sending(message: ScannedMessage, method: string, options: SendOptions): Sending
  /** What a message belongs to that says nothing of it. */
  protected get subject(): IncomingExchange | undefined {
    return undefined
  }
  /** The SDK answered a request of the peer's. */
  protected answered(_exchange: IncomingExchange, _kind: 'result' | 'error'): void {}
  /** The peer's own notification, before the SDK gets it. */
  protected heard(_method: string): void {}
  /** A request of the SDK's has ended, and the SDK was told. */
  protected asked(_failure: Failure | undefined): void {}

  // --- Party ---

  abstract sessionEnded(): void

  draining(): void {}

  /** A request of the peer's. */
  requested({ exchange, octets, message }: BridgeEvent & { type: 'request' }): void {
    const { idToken } = exchange
    // Not JSON at all is for the endpoint to answer (digest 04 section 10), which is here.
    if (message === undefined || idToken === undefined) {
      this.#refuse(exchange, Buffer.from('null'), -32700, 'not a JSON text')
      return
    }
    const request = requestOf(octets, idToken)
    if ('fault' in request) {
      this.#refuse(exchange, idToken, request.code, request.fault)
      return
    }
    const key = keyOf(request.id)
    if (this.#owed.has(key)) {
      this.#refuse(exchange, idToken, -32600, 'a request of this id is open in this session')
      return
    }
    if (this.#inbox.early >= MAX_EARLY) {
      this.association.fail(exchange, TOO_MUCH_WAITING)
      return
    }
    this.#owed.set(key, exchange)
    this.#inbox.push(request)
  }

  /** A notification of the peer's. */
  notified({ message, method }: Pick<BridgeEvent & { type: 'notification' }, 'message' | 'method'>): void {
    this.heard(method)
    if (this.#inbox.early < MAX_EARLY) this.#inbox.push(parse(message.text))
  }

  /**
   * The peer cancelled a request of its own: the SDK is told under the id that it knows, and the peer gets the one reply
   * that it is owed (CARRIAGE section 5). What the SDK answers all the same reaches nobody.
   */
  cancelled({ exchange, message }: BridgeEvent & { type: 'cancel' }): void {
    for (const [key, owed] of this.#owed) {
      if (owed !== exchange) continue
      this.#owed.delete(key)
      const { params, ...rest } = parse(message.text)
      const requestId = exchange.idToken && sdkId(exchange.idToken)
      this.#inbox.push({ ...rest, params: { ...params, requestId } })
    }
    this.association.fail(exchange, CANCELLED)
  }

  replied({ exchange, kind, message, release }: BridgeEvent & { type: 'reply' }): void {
    const asked = this.#asked.take(exchange)
    if (asked === undefined) return
    asked.onEnd?.(kind, message)
    const reply = parse(message.text)
    release?.()
    // The id as the SDK wrote it, also where the server could not read it and answered null.
    this.#inbox.push({ ...reply, id: asked.id })
    this.asked(undefined)
  }

  failed(exchange: OutgoingExchange, failure: TransportFailure, by: 'peer' | 'local'): void {
    // Outcome 2 is never shown (CARRIAGE section 5): whoever cancelled has forgotten it by now. Where nobody did, the peer
    // has given up what somebody waits for.
    const asked = this.#asked.take(exchange)
    if (asked === undefined) return
    asked.onEnd?.('failed')
    const found = failureOf(failure, by)
    this.#inbox.push(failureMessage(asked.id, found, this.association.nameOf(exchange)))
    this.asked(found)
  }

  lost(): void {
    this.finish()
  }

  // --- for those who end it ---

  /** Every request of the SDK's that is open fails so. */
  protected failAll(failure: Failure): void {
    for (const exchange of this.#asked.exchanges) {
      const asked = this.#asked.take(exchange)
      const name = this.association.nameOf(exchange)
      this.association.cancel(exchange)
      if (asked !== undefined) this.#inbox.push(failureMessage(asked.id, failure, name))
    }
  }

  /** What the SDK has just sent was the last: over once it knows that it was taken. */
  protected finishSoon(): void {
    if (this.started) queueMicrotask(() => this.finish())
    else this.finish()
  }

  /** Gives up what is open in both directions, tells nobody but the peer. */
  protected giveUp(failure: FailureInput): void {
    for (const exchange of this.#asked.exchanges) {
      this.#asked.take(exchange)
      this.association.cancel(exchange)
    }
    const owed = [...this.#owed.values()]
    this.#owed.clear()
    for (const exchange of owed) this.association.fail(exchange, failure)
  }

  /** No message comes or goes any more. */
  protected finish(): void {
    if (this.#over) return
    this.#over = true
    this.association.remove(this, [...this.#asked.exchanges, ...this.#owed.values()])
    this.#asked.clear()
    this.#owed.clear()
    this.#inbox.end()
  }

  // --- sending ---

  #ask(message: JsonRpcMessage, id: RequestId, options: SendOptions): void {
    if (this.#asked.find(id) !== undefined) throw new MisuseError('ARGUMENT', `a request with the id ${id} is open`)
    if (this.association.drains) {
      this.#inbox.push(failureMessage(id, GOING_AWAY, undefined))
      return
    }
    const octets = print(message)
    const scanned = scanMessage(octets, { isUtf8 })
    const { onEnd, label, parameters } = this.sending(scanned, message.method ?? '', options)
    const related = this.#related(options)
    const input = { octets, message: scanned, label, route: this.route, related, ...(parameters && { parameters }) }
    try {
      const exchange = this.association.request(this, input)
      this.#asked.add(exchange, { id, onEnd })
    } catch (error) {
      const refusal = refusalOf(error)
      onEnd?.('failed')
      this.#inbox.push(failureMessage(id, refusal, undefined))
    }
  }

  #tell(message: JsonRpcMessage, options: SendOptions): void {
    const octets = print(message)
    if (message.method === CANCELLED_METHOD) {
      this.#cancel(message, octets)
      return
    }
    this.association.notify({ octets, route: this.route, related: this.#related(options) })
  }

  /** In the SDK's own words (CARRIAGE section 5). One that names nothing open has nothing to cancel. */
  #cancel({ params }: JsonRpcMessage, octets: Uint8Array): void {
    const requestId = (params as { readonly requestId?: unknown } | undefined)?.requestId
    const exchange = isRequestId(requestId) ? this.#asked.find(requestId) : undefined
    if (exchange === undefined) return
    this.#asked.take(exchange)
    this.association.cancel(exchange, octets)
    this.asked(undefined)
  }

  #answer(message: JsonRpcMessage): void {
    const key = message.id === undefined ? undefined : keyOf(message.id)
    const exchange = key === undefined ? undefined : this.#owed.get(key)
    // Cancelled meanwhile.
    if (key === undefined || exchange?.idToken === undefined) return
    this.#owed.delete(key)
    const kind = message.error === undefined ? 'result' : 'error'
    const fate = this.association.respond(exchange, kind, printReply(exchange.idToken, message))
    if (fate === 'replaced') this.#report(new Error(`the answer to ${exchange.method} is larger than the peer accepts`))
    this.answered(exchange, kind)
  }

  #related({ relatedRequestId: id }: SendOptions): IncomingExchange | undefined {
    return (id === undefined ? undefined : this.#owed.get(keyOf(id))) ?? this.subject
  }

  // --- bookkeeping ---

  #refuse(exchange: IncomingExchange, idToken: Uint8Array, code: number, message: string): void {
    const reply = printReply(idToken, { jsonrpc: '2.0', error: { code, message } })
    this.association.respond(exchange, 'error', reply)
    this.answered(exchange, 'error')
  }

  /** What the SDK throws is not the peer's doing, and must not end the association. */
  #guarded(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#report(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #report(error: Error): void {
    try {
      this.onerror?.(error)
    } catch {
      // Nobody is left to be told.
    }
  }
}

/** Messages held for an SDK that has not called `start` yet. */
const MAX_EARLY = 1_024

const GOING_AWAY: Failure = {
  name: 'NotDelivered',
  message: 'the peer is going away and takes nothing new; connect again',
  delivery: 'not_sent',
}

function closedError(): ClosedError {
  return new ClosedError('CLOSED', 'the transport is closed')
}
