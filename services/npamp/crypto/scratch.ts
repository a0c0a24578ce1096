const NONCE_OCTETS = 12
const AAD_OCTETS = 21

/**
 * Arrays that a frame's nonce and associated data are prepared in. A provider reads both before `seal` or `open` returns
 * and never keeps them, so one of each serves all its keys: an array for each frame would cost more than what is written
 * into it, and one for each key would outweigh the key.
 */
export interface Scratch {
  /** 12 octets. */
  readonly nonce: Uint8Array
  /** 21 octets. */
  readonly aad: Uint8Array
}

export function newScratch(): Scratch {
  return { nonce: new Uint8Array(NONCE_OCTETS), aad: new Uint8Array(AAD_OCTETS) }
}
