import { isHeaderValue } from './header-value.ts'
import type { SseEvent } from './sse.ts'
import { ToldEvents } from './told-events.ts'

/**
 * Where a stream of the legacy era stands that may go on over several connections (CARRIAGE section 9): from which event on
 * it is to be resumed, how long to wait before that, and what a resumed one repeats.
 */
export class StreamPosition {
  readonly #told: ToldEvents
  #connection: number
  #resumed = false
  #lastEventId: string | undefined
  #retryMs: number | undefined
  #events = 0

  /** @param told of the session; a stream outside any has its own. */
  constructor(told: ToldEvents = new ToldEvents()) {
    this.#told = told
    this.#connection = told.newConnection()
  }

  /** Value of `Last-Event-ID`; undefined where the stream cannot be resumed. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /** What the server asked for last. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  /** Events of the connection that `reopened` began last. */
  get events(): number {
    return this.#events
  }

  /** From here on events come from a new connection. */
  reopened(): void {
    this.#connection = this.#told.newConnection()
    this.#resumed = this.#lastEventId !== undefined
    this.#events = 0
  }

  /** Takes note of an event that is about to be told; false when it is a repetition. */
  note({ id, data, retryMs }: SseEvent): boolean {
    this.#events += 1
    this.#retryMs = retryMs ?? this.#retryMs
    if (id === undefined) return true
    this.#lastEventId = headerValueOf(id)
    if (this.#lastEventId === undefined) return true
    return this.#told.note(id, data, this.#connection) || !this.#resumed
  }
}

const MOST_ID_OCTETS = 1_024

/** The id's UTF-8 octets, one character each, as headers are written; an empty id means that there is none. */
function headerValueOf(id: string): string | undefined {
  if (id === '' || id.length > MOST_ID_OCTETS) return undefined
  const value = Buffer.from(id, 'utf8').toString('latin1')
  return value.length <= MOST_ID_OCTETS && isHeaderValue(value) && value.trim() === value ? value : undefined
}
