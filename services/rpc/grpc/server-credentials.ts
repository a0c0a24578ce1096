import { createSecureContext } from 'node:tls'
import { ServerCredentials } from '@grpc/grpc-js'
import type { TlsMaterial } from '../certificates/tls-material.ts'
import { secureContextOptions } from './secure-context.ts'

/** What a stranger may take for a handshake; then the connection ends. */
const HANDSHAKE_LIMIT_MS = 10_000

/** Mutual TLS of a server. Renewed material counts for connections that come after it. */
export class RenewableServerCredentials extends ServerCredentials {
  /** Throws when the material cannot be used. */
  constructor(material: TlsMaterial) {
    const context = secureContextOptions(material)
    createSecureContext(context)
    super(
      { requestCert: true, rejectUnauthorized: true, handshakeTimeout: HANDSHAKE_LIMIT_MS, minVersion: 'TLSv1.3' },
      context,
    )
  }

  /** Throws when the material cannot be used; the last good one stays. */
  renew(material: TlsMaterial): void {
    const context = secureContextOptions(material)
    createSecureContext(context)
    this.updateSecureContextOptions(context)
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other
  }
}
