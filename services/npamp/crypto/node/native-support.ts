import { createPublicKey, encapsulate } from 'node:crypto'
import { IncompatibleError } from '../../errors.ts'

/** ML-KEM came with Node 24.7 (OpenSSL 3.5), raw key formats with 24.15: say so once, not at the first handshake. */
export function requireNativeSupport(): void {
  try {
    createPublicKey({ key: Buffer.alloc(32), format: 'raw-public', asymmetricKeyType: 'x25519' })
    if (typeof encapsulate === 'function') return
  } catch {
    // Falls through to the one message.
  }
  throw new IncompatibleError('NATIVE_CRYPTO', 'Node 24.15 or newer is needed: ML-KEM and raw key formats are missing')
}
