import { DATA_KEYS } from '@causeway/mesh-api'
import type { KeyPair } from '../../pki/authority.ts'
import { type CertificateFacts, factsOf } from '../../pki/facts.ts'
import type { SecretObject } from '../../world/resource-types.ts'
import type { NextAuthority } from './decide-authority.ts'

/** An annotation of the authority's Secret with the value `now`: it is rotated without waiting for its end. */
export const ROTATE_CA_ANNOTATION = 'mesh.causeway.dev/rotate-authority'
/** RFC 3339: since when the next authority issues. */
export const ISSUES_SINCE_ANNOTATION = 'mesh.causeway.dev/issues-since'

/** A Secret of type kubernetes.io/tls, as other tools read them. */
export function tlsSecret(
  metadata: SecretObject['metadata'],
  { certificate, key }: KeyPair,
  more: Readonly<Record<string, string>> = {},
): SecretObject {
  const data = { [DATA_KEYS.certificate]: certificate, [DATA_KEYS.key]: key, ...more }
  return {
    metadata,
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, encode(text)])),
  }
}

/** Empty texts for what is not there. */
export function keyPairOf({ data = {} }: SecretObject): KeyPair {
  return { certificate: decode(data[DATA_KEYS.certificate]), key: decode(data[DATA_KEYS.key]) }
}

export function certificateOf(secret: SecretObject): CertificateFacts | 'damaged' {
  return factsOf(keyPairOf(secret)) ?? 'damaged'
}

export function nextAuthorityOf(secret: SecretObject | undefined): NextAuthority | 'damaged' | undefined {
  if (secret === undefined) return undefined
  const facts = certificateOf(secret)
  if (facts === 'damaged') return 'damaged'
  const { creationTimestamp = '', annotations } = secret.metadata
  return {
    facts,
    publishedAtMs: timeOf(creationTimestamp) ?? 0,
    issuesSinceMs: timeOf(annotations?.[ISSUES_SINCE_ANNOTATION]),
  }
}

/** A `ca.crt` beside the certificate. */
export function bundleIn({ data = {} }: SecretObject): string {
  return decode(data[DATA_KEYS.authorities])
}

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

function decode(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString()
}
