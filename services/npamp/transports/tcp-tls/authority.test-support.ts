import { webcrypto } from 'node:crypto'
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  type Extension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'Ed25519' }
const VALIDITY = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 3_600_000) }

export interface Issued {
  readonly cert: string
  readonly key: string
}

/** A certificate authority for one test: its PEM and a way to have certificates issued. */
export async function testAuthority(
  name = 'test authority',
): Promise<{ ca: string; issue: (dnsName: string) => Promise<Issued> }> {
  const keys = await generateKeys()
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    ...VALIDITY,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  return { ca: root.toString('pem'), issue: (dnsName) => issue(root, keys.privateKey, dnsName) }
}

async function issue(root: X509Certificate, signingKey: webcrypto.CryptoKey, dnsName: string): Promise<Issued> {
  const keys = await generateKeys()
  const type = /^[\d.]+$/.test(dnsName) ? 'ip' : 'dns'
  const extensions: Extension[] = [new SubjectAlternativeNameExtension([{ type, value: dnsName }])]
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=test leaf',
    issuer: root.subject,
    ...VALIDITY,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions,
  })
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { cert: certificate.toString('pem'), key }
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
}
