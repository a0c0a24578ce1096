import { z } from 'zod'
import { ATOMIC, ATOMIC_MAP } from './list-types.ts'
import { dataKey, namespaceName, objectName } from './names.ts'

/** The name of an object, of whichever namespace. `what` completes the sentence "The name of ...". */
export const reference = (what: string) => z.strictObject(referenceShape(what)).meta(ATOMIC_MAP)

/** Fields of a reference, for objects that say more of what they refer to. */
export const referenceShape = (what: string) => ({
  name: objectName().describe(`The name of ${what}.`),
  namespace: namespaceName()
    .optional()
    .describe('Its namespace, which must permit this one (allowedNamespaces). Default: that of this object.'),
})

export interface Reference {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Who belongs to whom (CONTROL section 1): what relays are sent names the relays that it is for. */
export const relayRefs = () =>
  z
    .array(reference('a MeshRelay'))
    .min(1)
    .max(64)
    .meta(ATOMIC)
    .describe('The relays that this object is for. Others never see it.')

/** One entry of a Secret or ConfigMap; only of one's own namespace (CONTROL section 1). */
export const dataRef = (what: 'Secret' | 'ConfigMap') =>
  z
    .strictObject({
      name: objectName().describe(`The name of a ${what} in the namespace of this object.`),
      key: dataKey().describe('The key of the entry in it.'),
    })
    .meta(ATOMIC_MAP)

/** A Secret whose keys are said where it is used. */
export const secretRef = () =>
  z
    .strictObject({ name: objectName().describe('The name of a Secret in the namespace of this object.') })
    .meta(ATOMIC_MAP)
