/**
 * Whose identity key is acceptable. There is no PKI: a peer is named by its PeerHandle.
 *
 * - pins: exactly these handles.
 * - allow: the caller decides, e.g. an allow-list that changes, or trust on first use.
 * - acceptAny: everybody who can sign; only when asked for twice.
 */
export type IdentityPolicy =
  | { readonly mode: 'pins'; readonly handles: readonly string[] }
  | { readonly mode: 'allow'; readonly accept: (handle: string, key: Uint8Array) => boolean }
  | { readonly mode: 'acceptAny'; readonly confirmed: true }
