import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type GeneralNameType,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1000

/** PEM texts. */
export interface Credential {
  readonly certificate: string
  readonly key: string
}

export interface Subject {
  /** The user that the API server sees. */
  readonly commonName: string
  /** The group that it sees. */
  readonly organization?: string
  /** DNS names and IP addresses of a server. */
  readonly serverNames?: readonly string[]
}

/** The one certificate authority of a cluster. Everything that it signs is valid for a day before and thirty after. */
export class Authority {
  /** PEM. */
  readonly certificate: string
  readonly #keys: webcrypto.CryptoKeyPair
  readonly #name: string

  private constructor(certificate: string, keys: webcrypto.CryptoKeyPair, name: string) {
    this.certificate = certificate
    this.#keys = keys
    this.#name = name
  }

  static async create(commonName: string): Promise<Authority> {
    const keys = await generateKeys()
    const name = `CN=${commonName}`
    const certificate = await X509CertificateGenerator.createSelfSigned({
      ...validity(),
      name,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    })
    return new Authority(certificate.toString('pem'), keys, name)
  }

  async issue(subject: Subject): Promise<Credential> {
    const keys = await generateKeys()
    const organization = subject.organization === undefined ? '' : `O=${subject.organization}, `
    const certificate = await X509CertificateGenerator.create({
      ...validity(),
      subject: `${organization}CN=${subject.commonName}`,
      issuer: this.#name,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: await this.#extensionsOf(subject),
    })
    return { certificate: certificate.toString('pem'), key: await privateKeyPem(keys.privateKey) }
  }

  async #extensionsOf(subject: Subject): Promise<Extension[]> {
    const names = (subject.serverNames ?? []).map(
      (value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const,
    )
    return [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth]),
      await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
      ...(names.length === 0
        ? []
        : [new SubjectAlternativeNameExtension(names satisfies { type: GeneralNameType; value: string }[])]),
    ]
  }
}

/** A key pair without a certificate: what service account tokens are signed with. */
export async function createSigningKey(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const keys = await generateKeys()
  const spki = await webcrypto.subtle.exportKey('spki', keys.publicKey)
  return { publicKey: pem('PUBLIC KEY', spki), privateKey: await privateKeyPem(keys.privateKey) }
}

function validity(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) }
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', key))
}

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
