import { CANCELLED_METHOD, cancelledRequestId, effectOf, idKey, type ScannedMessage } from '@causeway/npamp'
import type { CallFailure, Era, SessionClient } from '../../exchanges/contract.ts'
import type { BackendClock } from '../contract.ts'
import { notStarted, tooLarge, tooSlow } from './failures.ts'
import type { InputMessage } from './input.ts'
import type { Line } from './line-reader.ts'
import type { OpenCall } from './open-call.ts'
import { describeEnd, type ProcessEnd } from './process-end.ts'
import { answeredKey, progressKey, readLine, type ServerMessage } from './server-message.ts'
import { type ProcessListener, ServerProcess, type ServerProcessOptions } from './server-process.ts'
import { type Asking, ServerRequests } from './server-requests.ts'
import type { StartPolicy } from './start-policy.ts'
import type { StdioTelemetry } from './telemetry.ts'
import { tooLongAnswer } from './too-long.ts'

export interface ConversationHost {
  /** Of the next process. */
  process: ServerProcessOptions
  readonly telemetry: StdioTelemetry
  /** By the era that a process is started for: a server may end at once when it is spoken to in the other. */
  readonly starts: Readonly<Record<Era, StartPolicy>>
  readonly clock: BackendClock
  readonly startTimeoutMs: number | undefined
}

export interface ConversationOwner {
  /** The process is over, and its calls are about to hear that. The answer is for those of which nothing was sent. */
  over(end: ProcessEnd): CallFailure
  /** They have heard it. */
  callsEnded?(): void
  /** Nothing of the process is left. */
  gone(): void
  /** An answer that nobody waits for. late: of a call that ended here before it was answered. */
  stray?(what: 'late' | 'unmatched'): void
}

/** What is said to one process and by it: which call, or whom else, each of its messages is for. */
export class Conversation implements ProcessListener {
  readonly #host: ConversationHost
  readonly #starts: StartPolicy
  readonly #owner: ConversationOwner
  readonly #client: SessionClient | undefined
  readonly #process: ServerProcess
  readonly #calls = new Map<string, OpenCall>()
  /** Ids of calls that ended here and may still be answered, oldest first. */
  readonly #awaited = new Set<string>()
  readonly #serverRequests: ServerRequests
  /** Who is behind; the process is not read meanwhile. */
  readonly #behind = new Set<object>()
  #startTimer: unknown
  #spoke = false
  #stopping = false
  /** Nobody is left whom anything could be for. */
  #closed = false

  /** Starts the process. @param client hears what belongs to no call. */
  constructor(host: ConversationHost, owner: ConversationOwner, era: Era, client: SessionClient | undefined) {
    this.#host = host
    this.#starts = host.starts[era]
    this.#owner = owner
    this.#client = client
    const { telemetry } = host
    this.#serverRequests = new ServerRequests(
      (octets, release) => this.#answer(octets, release),
      () => telemetry.serverRequestRefused(),
    )
    this.#process = new ServerProcess(host.process, this)
    if (this.#process.pid !== undefined) telemetry.processStarted(this.#process.pid)
    const { startTimeoutMs, clock } = host
    if (startTimeoutMs !== undefined) {
      this.#startTimer = clock.setTimeout(() => this.#tooSlow(startTimeoutMs), startTimeoutMs)
    }
  }

  /** Whether an answer may still come to a call that has ended here. */
  get awaitsAnswers(): boolean {
    return this.#awaited.size > 0
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0
  }

  /** False where a call with this id is open. */
  open(call: OpenCall): boolean {
    if (this.#calls.has(call.key)) return false
    this.#calls.set(call.key, call)
    return true
  }

  /** False: the process reads no more, and is about to be over. */
  get takesMessages(): boolean {
    return this.#process.input.isOpen
  }

  /** False: nothing of it was taken. */
  send(message: InputMessage): boolean {
    return this.#process.input.add(message)
  }

  /** @param awaited its answer may still come. */
  ended(call: OpenCall, input: InputMessage, awaited: boolean): void {
    if (this.#calls.get(call.key) === call) this.#calls.delete(call.key)
    this.#process.input.withdraw(input)
    if (awaited) this.#await(call.key)
    this.ready(call)
  }

  /** Who was behind can take more. */
  ready(who: object): void {
    if (this.#behind.delete(who) && this.#behind.size === 0) this.#process.resume()
  }

  /** The open call that a client's `notifications/cancelled` names. */
  callCancelledBy(message: ScannedMessage): OpenCall | undefined {
    const token = cancelledRequestId(message)
    return token === undefined ? undefined : this.#calls.get(idKey(token))
  }

  /** In good order: what was asked may still be answered while the process comes to its end. */
  stop(): void {
    this.#stopping = true
    this.#process.stop()
  }

  /** The same, but its calls end now and nothing that it says is for anybody. */
  close(unsent: CallFailure, sent: CallFailure): void {
    this.#closed = true
    for (const call of [...this.#calls.values()]) call.failUnsent(unsent)
    for (const call of [...this.#calls.values()]) call.fail(sent)
    this.#serverRequests.endAll()
    this.#behind.clear()
    this.#process.resume()
    this.stop()
  }

  kill(): void {
    this.#stopping = true
    this.#process.kill()
  }

  // --- ProcessListener ---

  line(line: Line): void {
    if (this.#closed) return
    const { telemetry } = this.#host
    if (line.kind === 'tooLong') {
      telemetry.rubbish('too_large', line.length)
      this.#tooLong(line)
      return
    }
    const messages = readLine(line.octets)
    if (messages === undefined) telemetry.rubbish('not_json_rpc', line.octets.length)
    else for (const message of messages) this.#message(message)
  }

  arriving(octets: number): void {
    const call = this.#onlyCall
    if (call?.arriving(octets) === 'wait') this.#wait(call)
  }

  over(end: ProcessEnd): void {
    const { clock, telemetry, process } = this.#host
    clock.clearTimeout(this.#startTimer)
    const calls = [...this.#calls.values()]
    if (!this.#spoke && !this.#stopping && !calls.some(({ endsByDiscovery }) => endsByDiscovery)) {
      this.#starts.failed(`the server's process ${describeEnd(end)} before it said anything`)
    }
    telemetry.processOver(end, this.#process.pid, this.#stopping)
    const unsent = this.#owner.over(end)
    this.#closed = true
    const failure = end.how === 'notStarted' ? notStarted(end, process) : unsent
    for (const call of calls) call.processOver(end, failure)
    this.#serverRequests.endAll()
    this.#owner.callsEnded?.()
  }

  gone(): void {
    if (this.#process.pid !== undefined) this.#host.telemetry.processGone()
    this.#owner.gone()
  }

  // --- what the server says ---

  #message(message: ServerMessage): void {
    if (!this.#spoke) {
      this.#spoke = true
      this.#host.clock.clearTimeout(this.#startTimer)
      this.#starts.succeeded()
    }
    switch (message.kind) {
      case 'notification':
        this.#notification(message)
        break
      case 'request':
        this.#request(message)
        break
      default:
        this.#reply(message)
    }
  }

  #notification(notification: ServerMessage): void {
    const { octets, message } = notification
    const { telemetry } = this.#host
    if (message.method === CANCELLED_METHOD) {
      const token = cancelledRequestId(message)
      if (token === undefined || !this.#serverRequests.cancel(token, notification))
        telemetry.dropped('unmatched_cancel')
      return
    }
    const call = this.#callOf(message)
    if (call !== undefined) {
      if (call.notification(octets) === 'wait') this.#wait(call)
      return
    }
    const client = this.#client
    if (client === undefined) telemetry.dropped('no_client')
    else if (client.notification(octets, () => this.ready(client)) === 'wait') this.#wait(client)
  }

  /** Digest 10 section 6: by its progress token, else the only call there is. */
  #callOf(message: ScannedMessage): OpenCall | undefined {
    const token = message.method === PROGRESS_METHOD ? progressKey(message) : undefined
    if (token === undefined) return this.#onlyCall
    for (const call of this.#calls.values()) if (call.progressKey === token) return call
    // It may be that of a call that is over, and whose task goes on: never another's.
    return undefined
  }

  get #onlyCall(): OpenCall | undefined {
    if (this.#calls.size !== 1) return undefined
    const [only] = this.#calls.values()
    return only
  }

  #request({ octets, message }: ServerMessage): void {
    const { idToken, method } = message
    if (idToken === undefined || method === undefined) return
    this.#serverRequests.open({ method, idToken, octets, message, effect: effectOf(method) }, this.#asking())
  }

  #asking(): Asking | undefined {
    const client = this.#client
    return this.#onlyCall?.asking ?? client?.request.bind(client)
  }

  #answer(octets: Uint8Array, release?: () => void): void {
    const message = { octets, ...(release === undefined ? {} : { settled: release }) }
    if (!this.#closed && !this.send(message)) this.#host.telemetry.dropped('queue_full')
  }

  #reply(reply: ServerMessage): void {
    const key = answeredKey(reply.message)
    const call = this.#answered(key, reply)
    if (call !== undefined) {
      call.reply(reply)
    } else if (key !== undefined && this.#awaited.delete(key)) {
      this.#host.telemetry.calls.lateReply()
      this.#owner.stray?.('late')
    } else {
      this.#host.telemetry.dropped('unmatched_reply')
      this.#owner.stray?.('unmatched')
    }
  }

  /** RPC-011; an error whose writer could not read the id is about the only call, where there is no other. */
  #answered(key: string | undefined, { kind }: ServerMessage): OpenCall | undefined {
    if (key !== undefined) return this.#calls.get(key)
    return this.#calls.get(NULL_KEY) ?? (kind === 'error' ? this.#onlyCall : undefined)
  }

  /** Whoever waits for it must not wait for ever. Where it cannot be told whose it was, it may be anybody's. */
  #tooLong(line: Extract<Line, { kind: 'tooLong' }>): void {
    const answer = tooLongAnswer(line)
    if (answer === 'noAnswer') return
    const failure = tooLarge(this.#host.process.maxLineOctets)
    if (answer === 'untold') for (const call of [...this.#calls.values()]) call.fail(failure)
    else this.#calls.get(answer.key)?.fail(failure)
  }

  // --- time and room ---

  #wait(who: OpenCall | SessionClient): void {
    // It may have come to its end while it was told something.
    if (this.#closed || ('ended' in who && who.ended)) return
    this.#behind.add(who)
    this.#process.pause()
  }

  #await(key: string): void {
    this.#awaited.add(key)
    const [oldest] = this.#awaited
    if (this.#awaited.size > MAX_AWAITED && oldest !== undefined) this.#awaited.delete(oldest)
  }

  #tooSlow(limitMs: number): void {
    const calls = [...this.#calls.values()]
    if (!calls.some(({ endsByDiscovery }) => endsByDiscovery)) {
      this.#starts.failed("the server's process said nothing within limits.startTimeout")
    }
    for (const call of calls) call.processSilent(tooSlow(limitMs))
    this.stop()
  }
}

const PROGRESS_METHOD = 'notifications/progress'
/** `idKey` of null: an id that JSON-RPC discourages, MCP forbids, and a client may use all the same. */
const NULL_KEY = 'null'
/** As on the mesh (CARRIAGE section 2). */
const MAX_AWAITED = 1_024
