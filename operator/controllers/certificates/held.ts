import type { CertificateFacts } from '../../pki/facts.ts'
import { NEXT_CA_SECRET_NAME } from '../../pki/secret-names.ts'
import type { DataMemo } from '../../world/data-memo.ts'
import type { SecretObject } from '../../world/resource-types.ts'
import { bundleIn, certificateOf, nextAuthorityOf, ROTATE_CA_ANNOTATION } from './authority-secrets.ts'
import type { NextAuthority } from './decide-authority.ts'

/** What is kept of a Secret with a certificate; never its key. */
export interface Held {
  readonly certificate: CertificateFacts | 'damaged'
  readonly next: NextAuthority | 'damaged' | undefined
  readonly bundle: string
  readonly isRotationWanted: boolean
}

export type HeldSecrets = DataMemo<SecretObject, Held>

export function heldIn(secret: SecretObject): Held {
  return {
    certificate: certificateOf(secret),
    next: secret.metadata.name === NEXT_CA_SECRET_NAME ? nextAuthorityOf(secret) : undefined,
    bundle: bundleIn(secret),
    isRotationWanted: secret.metadata.annotations?.[ROTATE_CA_ANNOTATION] === 'now',
  }
}
