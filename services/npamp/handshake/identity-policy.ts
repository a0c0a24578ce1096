import type { SignatureScheme } from '../codepoints/suites.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { peerHandle, samePeerHandle } from '../discovery/peer-handle.ts'
import { AuthenticationError } from '../errors.ts'

/**
 * Whose identity key is acceptable. There is no PKI: a peer is named by its PeerHandle.
 *
 * - pins: exactly these handles; none accepts nobody.
 * - allow: the caller decides, e.g. an allow-list that changes, or trust on first use.
 * - acceptAny: everybody who can sign; only when asked for twice.
 */
export type IdentityPolicy =
  | { readonly mode: 'pins'; readonly handles: readonly string[] }
  | { readonly mode: 'allow'; readonly accept: (handle: string, key: Uint8Array) => boolean }
  | { readonly mode: 'acceptAny'; readonly confirmed: true }

/**
 * The peer's handle, when the policy accepts it. Called only for a key whose possession was proven.
 *
 * @throws AuthenticationError IDENTITY_REFUSED; also when `accept` throws, so that a fault never admits anybody.
 */
export function requireAcceptable(
  policy: IdentityPolicy,
  provider: CryptoProvider,
  scheme: SignatureScheme,
  key: Uint8Array,
): string {
  const handle = peerHandle(scheme, key, (data) => provider.hash('sha256', data))
  if (!accepts(policy, provider, handle, key)) {
    throw new AuthenticationError('IDENTITY_REFUSED', `the identity policy does not accept ${handle}`)
  }
  return handle
}

function accepts(policy: IdentityPolicy, provider: CryptoProvider, handle: string, key: Uint8Array): boolean {
  switch (policy.mode) {
    case 'pins':
      return isPinned(policy.handles, provider, handle)
    case 'allow':
      return asks(policy.accept, handle, key)
    case 'acceptAny':
      return policy.confirmed === true
  }
}

/** Looks at every pin, so that timing does not say which one matched. */
function isPinned(pins: readonly string[], provider: CryptoProvider, handle: string): boolean {
  let pinned = false
  for (const pin of pins) if (samePeerHandle(pin, handle, provider)) pinned = true
  return pinned
}

function asks(accept: (handle: string, key: Uint8Array) => boolean, handle: string, key: Uint8Array): boolean {
  try {
    return accept(handle, new Uint8Array(key)) === true
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new AuthenticationError('IDENTITY_REFUSED', `the identity policy failed: ${reason}`)
  }
}
