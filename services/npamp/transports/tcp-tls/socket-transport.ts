import type { TLSSocket } from 'node:tls'
import { concatOctets } from '../../wire/octets.ts'
import type { Transport, TransportInfo, TransportReceiver } from '../contract.ts'

/** How long a socket may linger once our side has ended. */
const END_GRACE_MS = 5_000
/** Up to here the pieces of a write are joined, which is cheaper than one socket chunk for each. */
const JOIN_OCTETS = 64 * 1024

/** A TLS socket whose handshake is over. */
export class SocketTransport implements Transport {
  readonly info: TransportInfo
  readonly #socket: TLSSocket
  #receiver: TransportReceiver | undefined
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
    this.#socket.on('drain', () => receiver.onWritable())
    // The peer's side is over, ours is not: what is queued can still leave.
    this.#socket.on('end', () => this.#end(true))
  }

  write(pieces: readonly Uint8Array[]): boolean {
    if (!this.#socket.writable) return true
    let octets = 0
    for (const piece of pieces) octets += piece.length
    if (octets <= JOIN_OCTETS) return this.#socket.write(concatOctets(pieces))
    this.#socket.cork()
    for (const piece of pieces) this.#socket.write(piece)
    this.#socket.uncork()
    return !this.#socket.writableNeedDrain
  }

  pauseReading(): void {
    this.#socket.pause()
  }

  resumeReading(): void {
    this.#socket.resume()
  }

  end(): void {
    if (this.#socket.destroyed || this.#grace !== undefined) return
    this.#socket.end()
    // Reads on, so that the peer's end is seen even when reading was paused.
    this.#socket.resume()
    this.#grace = setTimeout(() => this.#socket.destroy(), END_GRACE_MS)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #end(clean: boolean): void {
    if (this.#ended || this.#receiver === undefined) return
    this.#ended = true
    this.#receiver.onEnd(clean, clean ? undefined : this.#error)
  }
}
