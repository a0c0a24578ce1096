import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { MisuseError } from '../../errors.ts'
import { groupsFor } from './groups.ts'
import type { TlsMode } from './options.ts'

/**
 * What connections with the same TLS settings can share: protocol version, key-exchange groups, authorities, own
 * certificate. Node would make one for each, which takes 20 KiB as long as the connection lasts: make one per peer.
 *
 * @throws MisuseError ARGUMENT for a PEM that is none.
 */
export function clientContext(tls: TlsMode): SecureContext {
  try {
    return createSecureContext({
      minVersion: 'TLSv1.3',
      maxVersion: 'TLSv1.3',
      ...groupOptions(tls),
      ...certificateOptions(tls),
    })
  } catch (error) {
    throw new MisuseError('ARGUMENT', `TLS settings: ${error instanceof Error ? error.message : 'unusable'}`)
  }
}

function groupOptions(tls: TlsMode): SecureContextOptions {
  const groups = groupsFor(tls.postQuantum)
  return groups === undefined ? {} : { ecdhCurve: groups }
}

function certificateOptions(tls: TlsMode): SecureContextOptions {
  if (tls.mode === 'pinned') return {}
  return {
    ca: buffer(tls.ca),
    ...(tls.cert !== undefined ? { cert: buffer(tls.cert) } : {}),
    ...(tls.key !== undefined ? { key: buffer(tls.key) } : {}),
  }
}

function buffer(pem: string | Uint8Array): string | Buffer {
  return typeof pem === 'string' ? pem : Buffer.from(pem)
}
