import { z } from 'zod'
import { MAP_BY_NAME } from './list-types.ts'
import { objectName } from './names.ts'

/** The name of an object in the same namespace. `what` completes the sentence "The name of ...". */
export const reference = (what: string) =>
  z.strictObject({ name: objectName().describe(`The name of ${what}, in the same namespace.`) })

export type Reference = z.output<ReturnType<typeof reference>>

/** Who belongs to whom (CONTROL section 1): every kind but MeshRelay names the relays that it is for. */
export const relayRefs = () =>
  z
    .array(reference('a MeshRelay'))
    .min(1)
    .max(64)
    .meta(MAP_BY_NAME)
    .describe('The relays that this object is for. Others never see it.')
