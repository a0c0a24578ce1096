import { z } from 'zod'
import { allowedNamespaces } from '../fields/grant.ts'
import { httpUrl } from '../fields/host.ts'
import { ATOMIC, SET } from '../fields/list-types.ts'
import { dataRef, reference } from '../fields/reference.ts'
import type { Resource } from './kind.ts'

const source = z
  .strictObject({
    inline: z.string().min(2).max(262_144).optional().describe('The card itself, JSON, kept octet for octet.'),
    configMapRef: dataRef('ConfigMap').optional().describe('The card in a ConfigMap.'),
    backendRef: reference('a MeshBackend with a2a').optional().describe('The card that an agent serves.'),
  })
  .describe('Where the card comes from: exactly one of inline, configMapRef and backendRef.')

const verification = z
  .strictObject({
    mode: z
      .enum(['required', 'ifSigned', 'none'])
      .default('ifSigned')
      .describe(
        'required: a card without a good signature is not used. ifSigned: a signature that is there must be good. none: ' +
          'signatures are not looked at.',
      ),
    algorithms: z
      .array(z.enum(['EdDSA', 'ES256', 'ML-DSA-87']))
      .min(1)
      .max(3)
      .meta(SET)
      .default(['EdDSA', 'ES256', 'ML-DSA-87'])
      .describe('Algorithms that are accepted. Never none, never one with a shared secret.'),
    trustAnchorRefs: z
      .array(reference('a TrustAnchor for the use cards'))
      .max(16)
      .meta(ATOMIC)
      .default([])
      .describe('Whose signatures are good.'),
    unsignedFields: z
      .enum(['refuse', 'allow'])
      .default('refuse')
      .describe('What becomes of a card with fields that its signature does not cover.'),
  })
  .prefault({})
  .describe('Whether the card is what its owner wrote.')

export const agentCardSpec = z
  .strictObject({
    source,
    verification,
    signing: z
      .strictObject({
        mode: z
          .enum(['mesh', 'verbatim'])
          .default('mesh')
          .describe(
            'What routes serve. mesh: a card with the URL of the route, signed anew, which names the digest of the ' +
              'original. verbatim: the original, whose URLs and signatures are its own.',
          ),
        relayRef: reference('a MeshRelay').optional().describe('With mesh: the relay whose identity signs.'),
        jwksURL: httpUrl().optional().describe('With mesh: where the key that signs is published, for the jku header.'),
      })
      .prefault({})
      .describe('What becomes of the card on the way to clients.'),
    allowedNamespaces: allowedNamespaces(),
  })
  .describe('The card of an A2A agent.')

export type AgentCardSpec = z.output<typeof agentCardSpec>
export type AgentCard = Resource<'AgentCard', AgentCardSpec>
