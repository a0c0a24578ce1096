import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ReadFile } from './file-reader.ts'
import { ConfigProblem } from './problem.ts'

/** Bundles of certificate authorities are the largest files that a relay reads. */
export const MAX_PEM_OCTETS = 4 * 1024 * 1024

/** PEM. */
export interface PemKeyPair {
  readonly cert: Uint8Array
  readonly key: Uint8Array
}

/**
 * A certificate, first in its file, and its key. TLS itself finds only keys of the same algorithm to be wrong, and with
 * others would listen and fail every handshake. Throws ConfigProblem FileUnusable.
 */
export function keyPairOf(certificate: ReadFile, key: ReadFile): PemKeyPair {
  const cert = certificatesOf(certificate)
  requirePem(key)
  if (!isKeyOf(key, cert)) throw unusable(key, `${key.path} is not the key of the certificate in ${certificate.path}`)
  return { cert, key: key.octets }
}

/**
 * PEM certificates, at least one, all of which can be read: TLS takes those before the first that it cannot read, and trusts
 * nobody where there is none. Throws ConfigProblem FileUnusable.
 */
export function certificatesOf(file: ReadFile): Uint8Array {
  requirePem(file)
  const certificates = file.octets.toString('latin1').match(CERTIFICATES) ?? []
  if (certificates.length === 0) throw unusable(file, `${file.path} has no certificate in it`)
  for (const [index, certificate] of certificates.entries()) {
    if (isCertificate(certificate)) continue
    throw unusable(file, `${file.path}: certificate ${index + 1} of ${certificates.length} cannot be read`)
  }
  return file.octets
}

/** Also one that has no end, up to where the next begins. */
const CERTIFICATES =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*(?:-----END (?:X509 |TRUSTED )?CERTIFICATE-----)?/g

function requirePem(file: ReadFile): void {
  if (!file.octets.includes('-----BEGIN ')) throw unusable(file, `${file.path} is not a PEM file`)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

function isKeyOf(key: ReadFile, cert: Uint8Array): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key.octets))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw unusable(key, `${key.path} has no private key in it that can be used: ${reason}`)
  }
}

function unusable({ fieldPath }: ReadFile, message: string): ConfigProblem {
  return new ConfigProblem('FileUnusable', fieldPath, message)
}
