/**
 * One ordered, reliable byte stream. A transport owns its socket; the driver is the only one that reads from and writes
 * to it. Errors end it: `onEnd(false)`; an orderly end of the peer's stream is `onEnd(true)`. `onEnd` comes exactly once.
 */
export interface Transport {
  /** What a person may want to see: addresses, TLS version, key-exchange group where it can be read, ALPN. */
  readonly info: TransportInfo
  /** Sets the receiver. Octets that came earlier are delivered in the same turn. */
  start(receiver: TransportReceiver): void
  /**
   * Hands the pieces, which belong to the transport from here on, to the socket as one write; false when the socket asks to
   * wait for `onWritable`.
   */
  write(pieces: readonly Uint8Array[]): boolean
  pauseReading(): void
  resumeReading(): void
  /** Sends what was written, then ends the stream; closes entirely when the peer ends too or after a short grace. */
  end(): void
  /** Closes at once. */
  destroy(): void
}

export interface TransportReceiver {
  onOctets(octets: Uint8Array): void
  onWritable(): void
  onEnd(clean: boolean, error?: Error): void
}

export interface TransportInfo {
  readonly kind: 'tcp-tls' | 'memory'
  readonly local?: string
  readonly remote?: string
  readonly tlsVersion?: string
  /** Only a dialler can read it (CARRIAGE section 12). */
  readonly group?: string
  readonly alpn?: string
}
