import { cancelledNotification, idKey, type ScannedMessage } from '@causeway/npamp'
import type {
  CallFailure,
  CallHandle,
  CallReply,
  CallRequest,
  CallSink,
  CancelReason,
} from '../../exchanges/contract.ts'
import type { BackendClock } from '../contract.ts'
import { cancelled, notSent, sessionLost } from '../http/failures.ts'
import type { Conversation } from './conversation.ts'
import { type EraOfServer, eraReply, isDiscover } from './era.ts'
import { idOpen, inputFull, processEnded } from './failures.ts'
import type { InputMessage } from './input.ts'
import type { OpenCall } from './open-call.ts'
import type { ProcessEnd } from './process-end.ts'
import { progressKey, type ServerMessage } from './server-message.ts'
import type { Asking } from './server-requests.ts'

export interface ExchangeHost {
  readonly clock: BackendClock
  readonly era: EraOfServer
  /** How long `server/discover` may be without an answer before the server counts as one of the legacy era. */
  readonly discoverTimeoutMs: number
}

export interface ExchangeOptions {
  readonly request: CallRequest
  /** What scanning the request gave. */
  readonly message: ScannedMessage
  readonly sink: CallSink
  /** It is the `initialize` that opens its session. */
  readonly opening: boolean
  /** Once, before the sink is told. */
  readonly onEnded: (exchange: Exchange, how: ExchangeEnd) => void
}

export type ExchangeEnd = 'result' | 'error' | CallFailure

/**
 * One request and all that comes of it: waits for a process where it has to, is written at most once, and its sink is told
 * of related notifications and exactly once of the end.
 */
export class Exchange implements CallHandle, OpenCall {
  readonly options: ExchangeOptions
  /** Of its id. */
  readonly key: string
  readonly #host: ExchangeHost
  readonly #input: InputMessage
  #conversation: Conversation | undefined
  #sent = false
  #cancelling = false
  #ended = false
  #timer: unknown
  #progress: { readonly key: string | undefined } | undefined

  constructor(host: ExchangeHost, options: ExchangeOptions) {
    this.#host = host
    this.options = options
    this.key = idKey(options.request.idToken)
    const handed = () => {
      this.#sent = true
    }
    this.#input = { octets: options.request.octets, handed }
  }

  get ended(): boolean {
    return this.#ended
  }

  get progressKey(): string | undefined {
    this.#progress ??= { key: progressKey(this.options.message, '_meta') }
    return this.#progress.key
  }

  /** Speaks to this process from here on. */
  begin(conversation: Conversation): void {
    if (this.#ended) return
    if (!conversation.open(this)) {
      this.fail(idOpen())
      return
    }
    this.#conversation = conversation
    const { clock, discoverTimeoutMs } = this.#host
    if (this.#isDiscover) this.#timer = clock.setTimeout(() => this.#silent(), discoverTimeoutMs)
    if (!conversation.send(this.#input)) this.fail(conversation.takesMessages ? inputFull() : this.#processLeft())
  }

  // --- CallHandle ---

  cancel(reason: CancelReason): void {
    const { era, idToken } = this.options.request
    // A disconnect of the legacy era is no cancel: nothing is said about it (digest 10 section 4).
    if (era === 'legacy' && reason === 'abandoned') this.fail(cancelled())
    else this.cancelBy(cancelledNotification(idToken))
  }

  resume(): void {
    this.#conversation?.ready(this)
  }

  /** Writes a `notifications/cancelled` and ends with outcome 2 once it is written (CARRIAGE section 5). */
  cancelBy(notification: Uint8Array): void {
    if (this.#ended || this.#cancelling) return
    // MCP forbids to cancel initialize by a notification; the process that it was for ends with it.
    if (!this.#sent || this.options.opening) {
      this.fail(cancelled())
      return
    }
    this.#cancelling = true
    const { clock } = this.#host
    clock.clearTimeout(this.#timer)
    const settled = () => this.fail(cancelled())
    // A server that reads nothing must not hold a cancelled call.
    this.#timer = clock.setTimeout(settled, WRITE_LIMIT_MS)
    if (this.#conversation?.send({ octets: notification, settled }) !== true) settled()
  }

  // --- from the process ---

  notification(octets: Uint8Array): 'ok' | 'wait' {
    return this.options.sink.notification(octets)
  }

  arriving(octets: number): 'ok' | 'wait' {
    return this.options.sink.arriving?.(octets) ?? 'ok'
  }

  /** In the modern era a server has no requests (digest 10 section 2). */
  get asking(): Asking | undefined {
    const { sink, request } = this.options
    if (request.era === 'modern') return undefined
    return sink.serverRequest?.bind(sink)
  }

  reply({ kind, octets, message, release }: ServerMessage): void {
    if (kind !== 'result' && kind !== 'error') return
    const instead = this.#host.era.learn(this.options.request, this.options.message, message)
    this.#reply(instead ?? { kind, octets, message, release, status: undefined, parameters: NO_PARAMETERS }, true)
  }

  processOver(end: ProcessEnd, unsent: CallFailure): void {
    // There are servers of the legacy era that end when something comes before initialize.
    if (this.endsByDiscovery) this.#silent()
    else this.fail(this.#sent ? processEnded(end) : unsent)
  }

  processSilent(failure: CallFailure): void {
    if (this.endsByDiscovery) this.#silent()
    else this.fail(failure)
  }

  get endsByDiscovery(): boolean {
    return this.#sent && this.#isDiscover
  }

  /** Ends it with an answer that is not the server's. */
  answer(reply: CallReply): void {
    this.#reply(reply, false)
  }

  fail(failure: CallFailure): void {
    if (this.#ended) return
    this.#end(failure, false)
    this.options.sink.fail(failure)
  }

  failUnsent(failure: CallFailure): void {
    if (!this.#sent) this.fail(failure)
  }

  /** It reads no more, and will be over in a moment. */
  #processLeft(): CallFailure {
    const { request, opening } = this.options
    return request.session === undefined || opening ? notSent('the process of the server has ended') : sessionLost()
  }

  get #isDiscover(): boolean {
    return isDiscover(this.options.request)
  }

  /** Digest 10 section 3: silence means legacy, too. */
  #silent(): void {
    this.#reply(eraReply(this.options.request, 'legacy', 'unknown'), false)
  }

  #reply(reply: CallReply, answered: boolean): void {
    if (this.#ended) return
    this.#end(reply.kind, answered)
    this.options.sink.reply(reply)
  }

  #end(how: ExchangeEnd, answered: boolean): void {
    this.#ended = true
    this.#host.clock.clearTimeout(this.#timer)
    this.#conversation?.ended(this, this.#input, this.#sent && !answered)
    this.options.onEnded(this, how)
  }
}

const WRITE_LIMIT_MS = 30_000
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
