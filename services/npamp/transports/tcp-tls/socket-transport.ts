import type { TLSSocket } from 'node:tls'
import type { Transport, TransportInfo, TransportReceiver } from '../contract.ts'
import { WriteQueue } from './write-queue.ts'

/** How long a socket may linger once our side has ended. */
const END_GRACE_MS = 5_000
/**
 * What TLS encrypts at a time: enough that a call is worth it, little enough that the peer works on one slice while we
 * encrypt the next, and that a large frame does not exist a second and third time at once.
 */
const SLICE_OCTETS = 256 * 1024

/** A TLS socket whose handshake is over. */
export class SocketTransport implements Transport {
  readonly info: TransportInfo
  readonly #socket: TLSSocket
  readonly #outgoing = new WriteQueue()
  #receiver: TransportReceiver | undefined
  #writing = false
  #writerWaits = false
  #ending = false
  #ended = false
  #error: Error | undefined
  #grace: NodeJS.Timeout | undefined

  constructor(socket: TLSSocket, info: TransportInfo) {
    this.#socket = socket
    this.info = info
    socket.setNoDelay(true)
    // Only now: a peer that ends during the TLS handshake has nothing more to get from us.
    socket.allowHalfOpen = true
    // Before `start` too: a reset at any time must not become an uncaught error.
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('close', () => {
      clearTimeout(this.#grace)
      this.#end(false)
    })
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver
    if (this.#socket.destroyed) {
      this.#end(false)
      return
    }
    this.#socket.on('data', (octets) => receiver.onOctets(octets))
    // The peer's side is over, ours is not: what is queued can still leave.
    this.#socket.on('end', () => this.#end(true))
  }

  write(pieces: readonly Uint8Array[]): boolean {
    if (this.#ending || !this.#socket.writable) return true
    this.#outgoing.push(pieces)
    if (!this.#writing) this.#writeSlice()
    this.#writerWaits = this.#outgoing.length > 0
    return !this.#writerWaits
  }

  pauseReading(): void {
    this.#socket.pause()
  }

  resumeReading(): void {
    this.#socket.resume()
  }

  end(): void {
    if (this.#ending || this.#socket.destroyed) return
    this.#ending = true
    // Reads on, so that the peer's end is seen even when reading was paused.
    this.#socket.resume()
    this.#grace = setTimeout(() => this.#socket.destroy(), END_GRACE_MS)
    if (!this.#writing) this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #writeSlice(): void {
    const slice = this.#outgoing.take(SLICE_OCTETS)
    this.#writing = slice.length > 0
    if (!this.#writing) return
    this.#socket.write(slice, (error) => {
      this.#writing = false
      this.#outgoing.written()
      if (error != null) this.#outgoing.clear()
      else this.#sliceWritten()
    })
  }

  #sliceWritten(): void {
    if (this.#outgoing.length > 0) this.#writeNextSlice()
    else if (this.#ending) this.#socket.end()
    else if (this.#writerWaits) {
      this.#writerWaits = false
      this.#receiver?.onWritable()
    }
  }

  /** Other connections have their turn first: a socket that takes everything must not keep the process to itself. */
  #writeNextSlice(): void {
    this.#writing = true
    setImmediate(() => this.#writeSlice())
  }

  #end(clean: boolean): void {
    if (this.#ended || this.#receiver === undefined) return
    this.#ended = true
    this.#receiver.onEnd(clean, clean ? undefined : this.#error)
  }
}
