import { z } from 'zod'
import { allowedNamespaces } from '../fields/grant.ts'
import { npampUrl, serverName } from '../fields/host.ts'
import { SET } from '../fields/list-types.ts'
import { filePath } from '../fields/names.ts'
import { peerHandle } from '../fields/peer-handle.ts'
import { dataRef, reference, relayRefs } from '../fields/reference.ts'
import type { Resource } from './kind.ts'

const MIB = 1024 * 1024

const protocol = () => z.enum(['mcp', 'a2a'])

const identity = z
  .strictObject({
    handles: z
      .array(peerHandle())
      .min(1)
      .max(16)
      .meta(SET)
      .optional()
      .describe('The PeerHandles of this peer: one identity, or more while it changes its key.'),
    acceptAny: z.boolean().optional().describe('Accept whoever connects.'),
    acceptAnyConfirmed: z
      .boolean()
      .optional()
      .describe('The second switch that acceptAny needs, because it turns authentication of the peer off.'),
  })
  .prefault({})
  .describe(
    'Which N-PAMP identities are this peer. Exactly one of identity.handles, identity.acceptAny, identityFrom and ' +
      'trustAnchorRef is set.',
  )

const identityFrom = z
  .strictObject({ relayRef: reference('a MeshRelay').describe('The MeshRelay; it need not be one of relayRefs.') })
  .describe(
    'The peer is a relay of the same mesh: it is known by the keys of that MeshRelay, and followed when they change.',
  )

const tls = z
  .strictObject({
    mode: z
      .enum(['pinned', 'ca'])
      .default('pinned')
      .describe(
        'pinned: the certificate is not validated, the N-PAMP identity authenticates. ca: a bundle of certificate ' +
          'authorities validates it.',
      ),
    caFile: filePath().optional().describe('In files, with mode ca: the bundle of certificate authorities, PEM.'),
    caSecretRef: dataRef('Secret').optional().describe('On a cluster, with mode ca: the bundle in a Secret.'),
    caConfigMapRef: dataRef('ConfigMap').optional().describe('On a cluster, with mode ca: the bundle in a ConfigMap.'),
    serverName: serverName()
      .optional()
      .describe('With mode ca: the name that the certificate must carry. Default: the host of the address.'),
  })
  .prefault({})
  .describe('The outer TLS, when this relay dials.')

export const meshPeerSpec = z
  .strictObject({
    relayRefs: relayRefs(),
    addresses: z
      .array(npampUrl())
      .max(16)
      .meta(SET)
      .default([])
      .describe('Where to dial the peer, tried in order. Empty: it is never dialled.'),
    identity,
    identityFrom: identityFrom.optional(),
    trustAnchorRef: reference('a TrustAnchor, whose keys for the use peers are this peer')
      .optional()
      .describe('The peer is whoever has a key of this anchor.'),
    acceptSuccessors: z
      .boolean()
      .default(false)
      .describe(
        'Whether a successor statement of the peer, signed by its current and its next key, pins its next key too.',
      ),
    trustPrincipalsFrom: z
      .enum(['none', 'peer'])
      .default('none')
      .describe("peer: the peer's word for who its caller is, is believed. none: the caller is the peer itself."),
    dial: z
      .enum(['onDemand', 'always', 'never'])
      .default('onDemand')
      .describe('onDemand: dial for the first exchange. always: keep the associations up. never: only accept.'),
    profile: z
      .enum(['Standard', 'High', 'Sovereign'])
      .default('Standard')
      .describe('The profile that a dial offers, and the least that is accepted.'),
    associations: z.int().min(1).max(8).default(2).describe('How many associations are kept with this peer.'),
    tls,
    postQuantum: z
      .enum(['observe', 'prefer', 'require'])
      .default('prefer')
      .describe(
        'Post-quantum key exchange of the outer TLS when dialling; require refuses everything but X25519MLKEM768.',
      ),
    protocols: z
      .array(protocol())
      .min(1)
      .max(16)
      .meta(SET)
      .default(['mcp'])
      .describe('The protocols carried to and from this peer.'),
    assumedProtocols: z
      .array(protocol())
      .min(1)
      .max(16)
      .meta(SET)
      .optional()
      .describe('For an implementation that sends no HELLO: what it is taken to speak. It is sent no HELLO.'),
    defaultBackend: reference('a MeshBackend')
      .optional()
      .describe('What requests of this peer reach that name no target. It must list this peer.'),
    maxFrameBytes: z
      .int()
      .min(65_536)
      .max(16 * MIB)
      .default(16 * MIB)
      .describe(
        'The largest whole frame, in octets: what is accepted, and what is sent to a peer that announces no limit.',
      ),
    limits: z
      .strictObject({
        sessionsPerPeer: z
          .int()
          .min(1)
          .max(65_536)
          .default(256)
          .describe('The most legacy sessions, hence associations, towards a peer without RouteContext.'),
      })
      .prefault({})
      .describe('Bounds of this peer.'),
    allowedNamespaces: allowedNamespaces(),
  })
  .describe('One remote N-PAMP endpoint.')

export type MeshPeerSpec = z.output<typeof meshPeerSpec>
export type MeshPeer = Resource<'MeshPeer', MeshPeerSpec>
