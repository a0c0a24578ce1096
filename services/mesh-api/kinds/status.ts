import { z } from 'zod'
import { SET } from '../fields/list-types.ts'
import { dataKey, namespaceName, objectName } from '../fields/names.ts'
import { peerHandle } from '../fields/peer-handle.ts'
import { conditions, generation, reason, text, time, truth } from './condition.ts'

/** CONTROL section 4: the detail of status lists so many instances, and counts them all. */
const MAX_LISTED_INSTANCES = 32

/** What one relay instance says of an object; `more` is what it says of this kind besides. */
function instances<Shape extends z.ZodRawShape>(more: Shape) {
  const instance = z.strictObject({
    namespace: namespaceName().describe('The namespace of the MeshRelay.'),
    relay: objectName().describe('The name of the MeshRelay.'),
    instance: objectName().describe('The instance, as its pod is called.'),
    programmed: truth().describe('True: it has accepted observedGeneration. False: it has refused it, for the reason.'),
    observedGeneration: generation().describe('The generation that this is about.'),
    reason: reason().optional().describe('Why it refuses.'),
    message: text().optional().describe('The same for a person: the field, and what is allowed.'),
    ...more,
  })
  return z
    .array(instance)
    .max(MAX_LISTED_INSTANCES)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['namespace', 'relay', 'instance'] })
    .optional()
    .describe(`Connected relay instances that this object concerns, at most ${MAX_LISTED_INSTANCES} of them.`)
}

const common = {
  conditions: conditions(),
  controller: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe('The installation that has accepted this object. Another one refuses it.'),
  relayCount: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('How many connected relay instances this object concerns, listed or not.'),
}

const reachable = truth().optional().describe('Whether this instance reaches it.')

const identity = z
  .strictObject({
    state: z
      .enum(['Active', 'Announced', 'Switched', 'Retired'])
      .describe(
        'Active: one key. Announced: the next key is told to peers, the current one signs. Switched: the next one signs. ' +
          'Retired: the old one is gone.',
      ),
    since: time().describe('When this state began.'),
    peerHandle: peerHandle().describe('The PeerHandle of the key that signs.'),
    secretName: objectName().describe('The Secret with the key that signs.'),
    next: peerHandle().optional().describe('The PeerHandle of the announced key.'),
    previous: peerHandle()
      .optional()
      .describe('In state Switched: the PeerHandle of the key before, which peers still accept.'),
    previousSecretName: objectName().optional().describe('The Secret with that key.'),
    nextSecretName: objectName().optional().describe('The Secret with the announced key.'),
    successor: z
      .string()
      .max(32_768)
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64, such as pAAB')
      .optional()
      .describe('The successor statement of the announced key, for peers of other administrations.'),
  })
  .optional()
  .describe('Who this relay is to its peers, and where the rotation of its key stands.')

const sha256 = () =>
  z
    .string()
    .max(64)
    .regex(
      /^[0-9a-f]{64}$/,
      'must be a SHA-256 in hexadecimal, such as e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )

const credentials = z
  .array(
    z.strictObject({
      file: dataKey().describe('The name of its file among the credentials of a relay.'),
      sha256: sha256().describe('SHA-256 of what it holds.'),
    }),
  )
  .max(128)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['file'] })
  .optional()
  .describe('What is projected for this object into the credentials of its relays. Written by the operator.')

const handle = peerHandle().optional().describe('The PeerHandle with which this instance signs now.')

export const meshRelayStatus = z.strictObject({
  ...common,
  identity,
  relays: instances({
    peerHandle: handle,
    bundleSHA256: sha256().optional().describe('SHA-256 of the certificate authorities that this instance has read.'),
  }),
})

export const peerStatus = z.strictObject({
  ...common,
  credentials,
  relays: instances({
    reachable,
    handles: z
      .array(peerHandle())
      .max(16)
      .meta(SET)
      .optional()
      .describe('The PeerHandles by which this instance knows the peer now.'),
    postQuantum: truth().optional().describe('Whether its outer TLS has a post-quantum key exchange.'),
  }),
})

export const backendStatus = z.strictObject({
  ...common,
  credentials,
  relays: instances({
    reachable,
    authorized: truth().optional().describe('Whether the server accepts the credentials that it sends.'),
  }),
})

export const routeStatus = z.strictObject({ ...common, relays: instances({}) })

export const policyStatus = z.strictObject({
  ...common,
  targetCount: z.int().min(0).max(1_000_000).optional().describe('How many objects the policy is attached to.'),
  relays: instances({}),
})

export const recordStatus = z.strictObject({
  ...common,
  recordId: z.string().max(64).optional().describe('The identity of the record, in hexadecimal.'),
  revision: generation().optional().describe('The revision that peers see; it grows with every change.'),
  signatures: z
    .array(
      z.strictObject({
        namespace: namespaceName().describe('The namespace of the MeshRelay whose identity signs.'),
        relay: objectName().describe('Its name.'),
        signer: peerHandle().describe('The PeerHandle of the key.'),
        notAfter: time().describe('How long the signature is good for.'),
        sha256: sha256().describe('SHA-256 of the signed record.'),
      }),
    )
    .max(64)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['namespace', 'relay'] })
    .optional()
    .describe('What was signed, one entry for each relay.'),
  relays: instances({}),
})

export const cardStatus = z.strictObject({
  ...common,
  sha256: sha256().optional().describe('SHA-256 of the original, octet for octet.'),
  protocolVersion: z.string().max(32).optional().describe('The version of A2A that the card is written in.'),
  verifiedBy: z
    .string()
    .max(317)
    .optional()
    .describe('The TrustAnchor and key whose signature is good, as in namespace/name/key.'),
  signer: peerHandle().optional().describe('The PeerHandle of the key that signed the card of the mesh.'),
  relays: instances({}),
})

export const anchorStatus = z.strictObject({ ...common })

export const approvalStatus = z.strictObject({
  ...common,
  usedAt: time().optional().describe('When the decision was used; it is good for one call.'),
  relays: instances({}),
})

export const accessKeyStatus = z.strictObject({
  ...common,
  keySHA256: sha256().optional().describe('SHA-256 of the key, by which records name it.'),
  relays: instances({}),
})
