import 'reflect-metadata'
import { createHash, randomBytes, webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** CONTROL section 2. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
/** For clocks that are behind ours. */
export const NOT_BEFORE_BACK_MS = 5 * 60_000

/** A certificate and its private key, PEM and PKCS#8 PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface Validity {
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly lifeMs: number
}

/** A new certificate authority of an installation. */
export async function mintAuthority({ nowMs, lifeMs }: Validity): Promise<KeyPair> {
  const keys = await generateKeys()
  // Its own name for each, so that nobody who builds a chain takes one for the other.
  const spki = await webcrypto.subtle.exportKey('spki', keys.publicKey)
  const id = createHash('sha256').update(new Uint8Array(spki)).digest('hex').slice(0, 12)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...span({ nowMs, lifeMs }),
    serialNumber: serialNumber(),
    name: `CN=causeway authority ${id}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: pem(certificate), key: await privateKeyPem(keys.privateKey) }
}

export interface LeafSubject {
  /** For a person who looks at it; who it is says `names`. */
  readonly commonName: string
  readonly names: readonly SubjectName[]
  /** What it may be shown as: a server's, a client's, or both. */
  readonly usages: readonly ('server' | 'client')[]
}

export interface SubjectName {
  readonly type: 'dns' | 'url'
  readonly value: string
}

const USAGES = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth } as const

/** A certificate with a new key. It never ends after its authority. Rejects when the authority's texts are damaged. */
export async function issueLeaf(authority: KeyPair, subject: LeafSubject, validity: Validity): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate)
  const keys = await generateKeys()
  const { notBefore, notAfter } = span(validity)
  const certificate = await X509CertificateGenerator.create({
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), issuer.notAfter.getTime())),
    serialNumber: serialNumber(),
    subject: `CN=${subject.commonName}`,
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(subject.usages.map((usage) => USAGES[usage])),
      new SubjectAlternativeNameExtension([...subject.names]),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: pem(certificate), key: await privateKeyPem(keys.privateKey) }
}

/** Certificates to the second: X.509 knows no parts of one. */
function span({ nowMs, lifeMs }: Validity): { notBefore: Date; notAfter: Date } {
  const nowS = Math.floor(nowMs / 1000)
  return { notBefore: new Date(nowS * 1000 - NOT_BEFORE_BACK_MS), notAfter: new Date(nowS * 1000 + lifeMs) }
}

/** Positive, and 120 bits of chance. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`
}

async function importPrivateKey(text: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(text), ALGORITHM, false, ['sign'])
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}
