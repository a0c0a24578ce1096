import type { SecureContextOptions } from 'node:tls'
import type { TlsMaterial } from '../certificates/tls-material.ts'

/** Both sides are ours: there is no reason for anything older than TLS 1.3. */
export function secureContextOptions({ certificateChain, key, authorities }: TlsMaterial): SecureContextOptions {
  return {
    cert: Buffer.from(certificateChain),
    key: Buffer.from(key),
    ca: Buffer.from(authorities),
    minVersion: 'TLSv1.3',
  }
}
