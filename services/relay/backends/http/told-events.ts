import { crc32c } from '@causeway/npamp'

/**
 * What has been told in a session, as far as a stream that is resumed may repeat it (CARRIAGE section 9). Event ids are
 * unique in a session, and shipped servers repeat on one stream what they told on another. Ids alone are not trusted: a
 * server that counts each stream's events anew repeats them, but not what they say.
 */
export class ToldEvents {
  /** Oldest first. */
  readonly #events = new Map<string, { readonly checksum: number; readonly connection: number }>()
  #connections = 0

  /** A number for a connection whose events are to be noted. */
  newConnection(): number {
    this.#connections += 1
    return this.#connections
  }

  /** Notes an event of a connection; false when another connection has told it. */
  note(id: string, data: Uint8Array, connection: number): boolean {
    const checksum = checksumOf(data)
    const earlier = this.#events.get(id)
    this.#events.delete(id)
    this.#events.set(id, { checksum, connection })
    this.#forgetOldest()
    return earlier === undefined || earlier.checksum !== checksum || earlier.connection === connection
  }

  #forgetOldest(): void {
    if (this.#events.size <= MOST_REMEMBERED) return
    for (const oldest of this.#events.keys()) {
      this.#events.delete(oldest)
      return
    }
  }
}

/** A server that resumes tells what came after one event; only a careless one repeats more than a little. */
const MOST_REMEMBERED = 128
const SAMPLE_OCTETS = 4 * 1024

/** Of long data it looks at the length and at both ends. */
function checksumOf(data: Uint8Array): number {
  const { length } = data
  if (length <= 2 * SAMPLE_OCTETS) return crc32c(data)
  return crc32c(data.subarray(0, SAMPLE_OCTETS)) ^ crc32c(data.subarray(-SAMPLE_OCTETS)) ^ length
}
