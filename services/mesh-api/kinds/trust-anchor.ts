import { z } from 'zod'
import { allowedNamespaces } from '../fields/grant.ts'
import { MAP_BY_NAME, SET } from '../fields/list-types.ts'
import { objectLabel } from '../fields/names.ts'
import { peerHandle } from '../fields/peer-handle.ts'
import type { Resource } from './kind.ts'

export const trustAnchorSpec = z
  .strictObject({
    uses: z
      .array(z.enum(['peers', 'records', 'cards', 'principals']))
      .min(1)
      .max(4)
      .meta(SET)
      .describe(
        'What its keys are trusted for. peers: to be a peer that names this anchor. records: to sign discovery records. ' +
          'cards: to sign agent cards. principals: to say who a caller is.',
      ),
    handles: z
      .array(peerHandle())
      .max(256)
      .meta(SET)
      .default([])
      .describe('PeerHandles of keys; the keys themselves come from elsewhere, and must fit.'),
    keys: z
      .array(
        z.strictObject({
          name: objectLabel().describe('What it is called in status and records; the kid of a card.'),
          publicKey: z
            .string()
            .max(8_192)
            .regex(
              /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]{1,76}\n)+-----END PUBLIC KEY-----\n?$/,
              'must be a public key, PEM (SubjectPublicKeyInfo), such as `openssl pkey -pubout` writes it',
            )
            .describe('The key: Ed25519, P-256 or ML-DSA-87.'),
        }),
      )
      .max(64)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('Keys.'),
    allowedNamespaces: allowedNamespaces(),
  })
  .describe('Whom this deployment trusts, and for what.')

export type TrustAnchorSpec = z.output<typeof trustAnchorSpec>
export type TrustAnchor = Resource<'TrustAnchor', TrustAnchorSpec>
