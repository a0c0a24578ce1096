import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { KeyPair, SubjectName } from './authority.ts'

/** What is to be known of a certificate without its private key at hand. */
export interface CertificateFacts {
  readonly certificate: string
  /** Milliseconds since 1970. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** Lower-case hexadecimal SHA-256 of the certificate. */
  readonly fingerprint: string
  /** Sorted, each as `url:...` or `dns:...`; anything else as it is told. */
  readonly names: readonly string[]
  readonly publicKey: KeyObject
}

/** Undefined when a text is damaged, or the key is not the certificate's: nothing that could be used. */
export function factsOf({ certificate, key }: KeyPair): CertificateFacts | undefined {
  try {
    const x509 = new X509Certificate(certificate)
    if (!x509.checkPrivateKey(createPrivateKey(key))) return undefined
    return {
      certificate,
      notBeforeMs: x509.validFromDate.getTime(),
      notAfterMs: x509.validToDate.getTime(),
      fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
      names: namesOf(x509.subjectAltName ?? ''),
      publicKey: x509.publicKey,
    }
  } catch {
    // The library's text may quote what it could not read, and that may be a key.
    return undefined
  }
}

/** Whether the certificate was signed by this authority. */
export function isIssuedBy(leaf: CertificateFacts, authority: CertificateFacts): boolean {
  const x509 = new X509Certificate(leaf.certificate)
  return x509.checkIssued(new X509Certificate(authority.certificate)) && x509.verify(authority.publicKey)
}

export function nameText({ type, value }: SubjectName): string {
  return `${type}:${value}`
}

/** `URI:a, DNS:b` as Node tells it; a value with a comma would be quoted, and is none of ours. */
function namesOf(text: string): string[] {
  return text
    .split(', ')
    .filter((name) => name !== '')
    .map((name) => name.replace(/^URI:/, 'url:').replace(/^DNS:/, 'dns:'))
    .sort()
}
