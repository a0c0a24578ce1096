import { crc32c } from '@causeway/npamp'
import { isHeaderValue } from './header-value.ts'
import type { SseEvent } from './sse.ts'

/**
 * Where a stream of the legacy era stands that may go on over several connections (CARRIAGE section 9): from which event on
 * it is to be resumed, how long to wait before that, and which events the resumed stream repeats.
 */
export class StreamPosition {
  #lastEventId: string | undefined
  #retryMs: number | undefined
  /** Events of earlier connections and of this one, oldest first: id -> checksum of the data. */
  #earlier: ReadonlyMap<string, string> = new Map()
  readonly #recent = new Map<string, string>()
  #events = 0

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

  /** From here on events come from a new connection, which may tell some that were told before. */
  reopened(): void {
    this.#earlier = new Map(this.#recent)
    this.#events = 0
  }

  /** Takes note of an event that is about to be told; false when an earlier connection has told it. */
  note({ id, data, retryMs }: SseEvent): boolean {
    this.#events += 1
    this.#retryMs = retryMs ?? this.#retryMs
    if (id === undefined) return true
    this.#lastEventId = headerValueOf(id)
    if (this.#lastEventId === undefined) return true
    const checksum = checksumOf(data)
    // A server that counts each connection's events anew repeats ids, but not what they say.
    if (this.#earlier.get(id) === checksum) return false
    this.#remember(id, checksum)
    return true
  }

  #remember(id: string, checksum: string): void {
    this.#recent.delete(id)
    this.#recent.set(id, checksum)
    if (this.#recent.size <= MOST_REMEMBERED) return
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest)
      return
    }
  }
}

/** A server that resumes tells what came after one event; only a careless one repeats some before it. */
const MOST_REMEMBERED = 64
const MOST_ID_OCTETS = 1_024

const SAMPLE_OCTETS = 4 * 1024

/** Tells two events apart that bear one id; of long ones it looks at the length and at both ends. */
function checksumOf(data: Uint8Array): string {
  const { length } = data
  const ends = length <= 2 * SAMPLE_OCTETS ? [data] : [data.subarray(0, SAMPLE_OCTETS), data.subarray(-SAMPLE_OCTETS)]
  return [length, ...ends.map((end) => crc32c(end))].join(' ')
}

/** The id's UTF-8 octets, one character each, as headers are written; an empty id means that there is none. */
function headerValueOf(id: string): string | undefined {
  if (id === '' || id.length > MOST_ID_OCTETS) return undefined
  const value = Buffer.from(id, 'utf8').toString('latin1')
  return value.length <= MOST_ID_OCTETS && isHeaderValue(value) && value.trim() === value ? value : undefined
}
