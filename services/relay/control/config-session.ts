import { create } from '@bufbuild/protobuf'
import {
  type ConfigChannel,
  type ConfigStream,
  type Delta,
  DeltaErrorCode,
  type DeltaReply,
  type Hello,
  type InstanceStatus,
  RpcError,
  type StreamConfigRequest,
  StreamConfigRequestSchema,
} from '@causeway/rpc'
import type { ConfigStore } from '../config-store/config-store.ts'

export interface ConfigSessionOptions {
  readonly channel: ConfigChannel
  readonly hello: Hello
  readonly store: ConfigStore
  readonly events: SessionEvents
  /** Asked before each Delta; false: it is not taken, and the control plane is left. */
  readonly mayTake?: () => Promise<boolean>
}

/** What happens on a stream, in order. */
export interface SessionEvents {
  /** A Delta was answered: undefined: taken. */
  onDelta(error: DeltaErrorCode | undefined): void
  /** The control plane asks for another stream. */
  onReconnect(): void
}

/** One stream to a control plane, from its Hello on: each Delta is taken by the store and answered, in order. */
export class ConfigSession {
  /** Why the stream is over; undefined: in order. Never rejects. */
  readonly closed: Promise<RpcError | undefined>
  readonly target: string
  readonly #store: ConfigStore
  readonly #events: SessionEvents
  readonly #stream: ConfigStream
  readonly #cancel = new AbortController()
  readonly #mayTake: () => Promise<boolean>
  #lastNonce = 0n
  #taken = 0
  #isOver = false
  /** Not sent yet. */
  #status: InstanceStatus | undefined
  /** While it is set, what comes next waits for it. */
  #pause: Gate | undefined
  /** What is being done about the last message. */
  #work: Promise<void> = Promise.resolve()

  constructor({ channel, hello, store, events, mayTake = async () => true }: ConfigSessionOptions) {
    this.target = channel.target
    this.#store = store
    this.#events = events
    this.#mayTake = mayTake
    this.#stream = channel.open(this.#cancel.signal)
    this.#send({ case: 'hello', value: hello })
    this.closed = this.#run()
  }

  /** How many Deltas changed what is held. */
  get taken(): number {
    return this.#taken
  }

  /** The latest one, as soon as the control plane takes it. */
  sendStatus(status: InstanceStatus): void {
    const isWaiting = this.#status !== undefined
    this.#status = status
    if (!isWaiting) void this.#sendLatestStatus()
  }

  /** Answers the last Delta once more: what is refused has changed since. */
  sendRefusals(): void {
    if (this.#lastNonce > 0n) this.#send({ case: 'reply', value: this.#store.replyAgain(this.#lastNonce) })
  }

  /** Takes nothing more until `resume`; resolves when what was begun is answered. */
  pause(): Promise<void> {
    this.#pause ??= newGate()
    return this.#work
  }

  resume(): void {
    this.#pause?.open()
    this.#pause = undefined
  }

  /** Leaves the control plane. */
  cancel(): void {
    this.#isOver = true
    this.#cancel.abort()
    this.resume()
  }

  async #run(): Promise<RpcError | undefined> {
    try {
      for await (const { message } of this.#stream.received) {
        while (this.#pause !== undefined) await this.#pause.opened
        if (this.#isOver) break
        if (message.case === 'reconnect') this.#events.onReconnect()
        else if (message.case === 'delta') await this.#begin(this.#take(message.value))
      }
    } catch (error) {
      this.#stream.fail(error instanceof RpcError ? error : new RpcError('INTERNAL', String(error)))
    }
    this.#isOver = true
    // Nobody reads any more: what the far side still says must not wait for that.
    this.#cancel.abort()
    return await this.#stream.closed
  }

  /** A control plane that does not read is not told more and more. */
  async #sendLatestStatus(): Promise<void> {
    await this.#stream.writable()
    const status = this.#status
    this.#status = undefined
    if (status !== undefined) this.#send({ case: 'status', value: status })
  }

  #begin(work: Promise<void>): Promise<void> {
    this.#work = work.catch(() => {})
    return work
  }

  async #take(delta: Delta): Promise<void> {
    if (delta.nonce <= this.#lastNonce) throw new RpcError('INVALID_ARGUMENT', 'the nonce of a Delta did not grow')
    if (!(await this.#mayTake())) {
      this.cancel()
      return
    }
    const reply = await this.#store.take(delta)
    this.#lastNonce = delta.nonce
    if (reply.error === undefined) this.#taken += 1
    this.#send({ case: 'reply', value: reply })
    const code = codeOf(reply)
    // The two disagree about what is held: only a new Hello helps.
    if (code === DeltaErrorCode.INCONSISTENT) this.#leave()
    this.#events.onDelta(code)
  }

  /** Says that nothing more comes, and takes nothing more; the control plane then ends the stream. */
  #leave(): void {
    this.#isOver = true
    this.#stream.end()
  }

  #send(message: StreamConfigRequest['message']): void {
    try {
      this.#stream.send(create(StreamConfigRequestSchema, { message }))
    } catch (error) {
      this.#stream.fail(error instanceof RpcError ? error : new RpcError('INTERNAL', String(error)))
    }
  }
}

function codeOf({ error }: DeltaReply): DeltaErrorCode | undefined {
  return error && (error.code === DeltaErrorCode.UNSPECIFIED ? DeltaErrorCode.MALFORMED : error.code)
}

interface Gate {
  readonly opened: Promise<void>
  open(): void
}

function newGate(): Gate {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
