import { createPrivateKey, X509Certificate } from 'node:crypto'
import { RelayStartError } from '../contract.ts'
import { readPemFile } from './read-file.ts'

export interface KeyPairFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** PEM. */
export interface KeyPair {
  readonly cert: Uint8Array
  readonly key: Uint8Array
}

/**
 * A certificate, first in its file, and its key; `tlsPath` is the field that has `certFile` and `keyFile`. TLS itself finds
 * only keys of the same algorithm to be wrong, and with others would listen and fail every handshake. Throws
 * RelayStartError CERTIFICATE_FILE.
 */
export async function readKeyPair({ certFile, keyFile }: KeyPairFiles, tlsPath: string): Promise<KeyPair> {
  // One after the other: where both are wrong, it is always the same that is told.
  const cert = await readCertificates(certFile, `${tlsPath}.certFile`)
  const key = await readPemFile(keyFile, `${tlsPath}.keyFile`)
  if (!isKeyOf(key, cert, keyFile, `${tlsPath}.keyFile`)) {
    throw unusable(`${tlsPath}.keyFile`, `${keyFile} is not the key of certFile`)
  }
  return { cert, key }
}

/**
 * A PEM file of certificates, at least one, all of which can be read: TLS takes those before the first that it cannot read,
 * and trusts nobody where there is none. Throws RelayStartError CERTIFICATE_FILE.
 */
export async function readCertificates(path: string, fieldPath: string): Promise<Uint8Array> {
  const octets = await readPemFile(path, fieldPath)
  const certificates = Buffer.from(octets).toString('latin1').match(CERTIFICATES) ?? []
  if (certificates.length === 0) throw unusable(fieldPath, `${path} has no certificate in it`)
  for (const [index, certificate] of certificates.entries()) {
    if (!isCertificate(certificate)) {
      throw unusable(fieldPath, `${path}: certificate ${index + 1} of ${certificates.length} cannot be read`)
    }
  }
  return octets
}

/** Also one that has no end, up to where the next begins. */
const CERTIFICATES =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*(?:-----END (?:X509 |TRUSTED )?CERTIFICATE-----)?/g

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

function isKeyOf(key: Uint8Array, cert: Uint8Array, keyFile: string, fieldPath: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(Buffer.from(key)))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw unusable(fieldPath, `${keyFile} has no private key in it that can be used: ${reason}`)
  }
}

function unusable(fieldPath: string, message: string): RelayStartError {
  return new RelayStartError('CERTIFICATE_FILE', fieldPath, message)
}
