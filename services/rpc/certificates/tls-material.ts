/** What one side of mutual TLS needs, PEM. */
export interface TlsMaterial {
  /** The certificate, and those between it and an authority. */
  readonly certificateChain: Uint8Array
  /** Secret. */
  readonly key: Uint8Array
  /** The authorities that the far side's certificate must come from; more than one while they are exchanged. */
  readonly authorities: Uint8Array
}
