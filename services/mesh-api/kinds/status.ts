import { z } from 'zod'
import { objectName } from '../fields/names.ts'
import { peerHandle } from '../fields/peer-handle.ts'
import { conditions, generation, reason, text, time, truth } from './condition.ts'

/** CONTROL section 4: the detail of status lists so many instances, and counts them all. */
const MAX_LISTED_INSTANCES = 32

/** What one relay instance says of an object; `more` is what it says of this kind besides. */
function instances<Shape extends z.ZodRawShape>(more: Shape) {
  const instance = z.strictObject({
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
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['relay', 'instance'] })
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
    next: peerHandle().optional().describe('The PeerHandle of the announced key.'),
  })
  .optional()
  .describe('Who this relay is to its peers, and where the rotation of its key stands.')

export const meshRelayStatus = z.strictObject({ ...common, identity, relays: instances({}) })

export const peerStatus = z.strictObject({
  ...common,
  relays: instances({
    reachable,
    postQuantum: truth().optional().describe('Whether its outer TLS has a post-quantum key exchange.'),
  }),
})

export const backendStatus = z.strictObject({
  ...common,
  relays: instances({
    reachable,
    authorized: truth().optional().describe('Whether the server accepts the credentials that it sends.'),
  }),
})

export const routeStatus = z.strictObject({ ...common, relays: instances({}) })
