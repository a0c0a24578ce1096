import { CA_SECRET_NAME } from '@causeway/mesh-api'
import type { KeyPair } from '../../pki/authority.ts'
import { bundleOf } from '../../pki/bundle.ts'
import { type CertificateFacts, factsOf } from '../../pki/facts.ts'
import { NEXT_CA_SECRET_NAME } from '../../pki/secret-names.ts'
import { SECRETS } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import { keyPairOf } from './authority-secrets.ts'
import { type NextAuthority, trustOf } from './decide-authority.ts'

/** Which authorities hold at the moment; no private key is in it. */
export interface Trust {
  readonly issuer: CertificateFacts
  readonly issuerSecret: string
  /** The text of `ca.crt`. */
  readonly bundle: string
}

export function trustFrom(current: CertificateFacts, next: NextAuthority | undefined): Trust {
  const { authorities, issuer } = trustOf(current, next)
  return {
    issuer: issuer === 'next' && next !== undefined ? next.facts : current,
    issuerSecret: issuer === 'next' ? NEXT_CA_SECRET_NAME : CA_SECRET_NAME,
    bundle: bundleOf(authorities),
  }
}

export function isSameTrust(one: Trust | undefined, other: Trust): boolean {
  return one?.bundle === other.bundle && one.issuerSecret === other.issuerSecret
}

/** The private key that issues, read when it is needed; undefined when the Secret holds another one by now. */
export async function readIssuer(
  { client, installation }: Pick<Tools, 'client' | 'installation'>,
  trust: Trust,
): Promise<KeyPair | undefined> {
  const secret = await client.find(SECRETS, { name: trust.issuerSecret, namespace: installation.namespace })
  if (secret === undefined) return undefined
  const pair = keyPairOf(secret)
  return factsOf(pair)?.fingerprint === trust.issuer.fingerprint ? pair : undefined
}
