import { webcrypto } from 'node:crypto'
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509'

/** A self-signed Ed25519 certificate for loopback, as PEM, like the one that relays mint for their outer TLS. */
export async function selfSigned(): Promise<{ cert: string; key: string }> {
  const keys = (await webcrypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=localhost',
      notBefore: new Date(Date.now() - 300_000),
      notAfter: new Date(Date.now() + 86_400_000),
      keys,
      signingAlgorithm: 'Ed25519',
    },
    webcrypto as Crypto,
  )
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') }
}
