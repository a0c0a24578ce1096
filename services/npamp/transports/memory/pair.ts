import { concatOctets } from '../../wire/octets.ts'
import type { Transport, TransportReceiver } from '../contract.ts'

export interface MemoryPairOptions {
  /** Octets under way in one direction from which `write` asks the writer to wait. Default 256 KiB. */
  readonly highWaterOctets?: number
  /** Delivers outside the writer's own call; default `queueMicrotask`. */
  readonly defer?: (callback: () => void) => void
}

/** Two ends of one in-process byte stream, each a Transport. */
export function memoryPair(options: MemoryPairOptions = {}): [Transport, Transport] {
  const defer = options.defer ?? queueMicrotask
  const highWaterOctets = options.highWaterOctets ?? 256 * 1024
  const a = new MemoryEnd(defer, highWaterOctets)
  const b = new MemoryEnd(defer, highWaterOctets)
  a.join(b)
  b.join(a)
  return [a, b]
}

type Ending = 'open' | 'clean' | 'lost'

class MemoryEnd implements Transport {
  readonly info = { kind: 'memory' } as const
  readonly #defer: (callback: () => void) => void
  readonly #highWaterOctets: number
  #peer: MemoryEnd | undefined
  #receiver: TransportReceiver | undefined
  #incoming: Uint8Array[] = []
  #incomingOctets = 0
  #incomingEnd: Ending = 'open'
  #paused = false
  #scheduled = false
  #writerWaits = false
  #ended = false
  #writeClosed = false

  constructor(defer: (callback: () => void) => void, highWaterOctets: number) {
    this.#defer = defer
    this.#highWaterOctets = highWaterOctets
  }

  join(peer: MemoryEnd): void {
    this.#peer = peer
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver
    this.#deliver()
  }

  write(pieces: readonly Uint8Array[]): boolean {
    if (this.#writeClosed) return true
    return this.#peer?.accept(concatOctets(pieces)) ?? true
  }

  pauseReading(): void {
    this.#paused = true
  }

  resumeReading(): void {
    this.#paused = false
    this.#schedule()
  }

  end(): void {
    if (this.#writeClosed) return
    this.#writeClosed = true
    this.#peer?.finish('clean')
  }

  destroy(): void {
    this.#writeClosed = true
    this.#peer?.finish('lost')
    this.#incoming = []
    this.#incomingOctets = 0
    this.finish('lost')
  }

  /** The other end wrote. False when it should wait. */
  accept(octets: Uint8Array): boolean {
    if (this.#incomingEnd !== 'open' || octets.length === 0) return true
    this.#incoming.push(octets)
    this.#incomingOctets += octets.length
    this.#schedule()
    this.#writerWaits = this.#incomingOctets >= this.#highWaterOctets
    return !this.#writerWaits
  }

  /** No more octets will come. A loss passes by what is still under way, as a reset does. */
  finish(ending: 'clean' | 'lost'): void {
    if (this.#incomingEnd === 'lost' || (this.#incomingEnd === 'clean' && ending === 'clean')) return
    this.#incomingEnd = ending
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#receiver === undefined) return
    this.#scheduled = true
    this.#defer(() => {
      this.#scheduled = false
      this.#deliver()
    })
  }

  #deliver(): void {
    const receiver = this.#receiver
    if (receiver === undefined || this.#ended) return
    while (this.#incomingEnd !== 'lost' && !this.#paused) {
      const octets = this.#incoming.shift()
      if (octets === undefined) break
      this.#incomingOctets -= octets.length
      receiver.onOctets(octets)
    }
    if (this.#writerWaits && this.#incomingOctets < this.#highWaterOctets) {
      this.#writerWaits = false
      this.#peer?.writable()
    }
    if (this.#incomingEnd === 'lost' || (this.#incomingEnd === 'clean' && this.#incoming.length === 0)) {
      this.#ended = true
      receiver.onEnd(this.#incomingEnd === 'clean')
    }
  }

  writable(): void {
    if (!this.#ended) this.#receiver?.onWritable()
  }
}
