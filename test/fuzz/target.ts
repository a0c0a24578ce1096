/** One decoder and what it must hold for arbitrary octets. */
export interface Target {
  readonly name: string
  /** Valid inputs; the fuzzer damages them. At least one. */
  readonly samples: readonly Uint8Array[]
  /**
   * Decodes. May throw the errors that `expects` names, nothing else; throws FuzzFault where an invariant breaks
   * (encode(decode(x)) = x, bounded output ...).
   */
  run(octets: Uint8Array): void
  /** Error classes that a decoder may answer bad octets with; default NpampError. */
  readonly expects?: new (
    ...args: never[]
  ) => Error
}

/** An invariant that did not hold. */
export class FuzzFault extends Error {
  override readonly name = 'FuzzFault'
}

export function mustEqual(got: Uint8Array, want: Uint8Array, what: string): void {
  if (!Buffer.from(got.buffer, got.byteOffset, got.length).equals(want)) throw new FuzzFault(`${what} differ`)
}
