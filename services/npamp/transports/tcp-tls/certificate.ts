import { webcrypto } from 'node:crypto'

export interface MintedCertificate {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS#8. */
  readonly key: string
}

/**
 * A fresh Ed25519 self-signed certificate that says nothing about anybody: with `pinned` nobody validates it, it only
 * lets TLS run. Its key lives as long as the process.
 */
export async function mintCertificate(now: Date): Promise<MintedCertificate> {
  // Loaded on first use: the library is large, wants its metadata polyfill before it, and most processes mint once.
  await import('reflect-metadata')
  const { PemConverter, X509CertificateGenerator } = await import('@peculiar/x509')
  const keys = (await webcrypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=n-pamp',
    notBefore: new Date(now.getTime() - CLOCK_SKEW_MS),
    notAfter: new Date(now.getTime() + LIFE_MS),
    keys,
    signingAlgorithm: 'Ed25519',
  })
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { cert: certificate.toString('pem'), key }
}

const CLOCK_SKEW_MS = 24 * 60 * 60 * 1000
/** A process that runs for longer than this is restarted for other reasons. */
const LIFE_MS = 10 * 365 * 24 * 60 * 60 * 1000
