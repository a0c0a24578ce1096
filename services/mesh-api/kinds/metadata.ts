import { z } from 'zod'
import { namespaceName, objectName } from '../fields/names.ts'

/** The most labels, and the most annotations; zod has no bound for the entries of a map. */
export const MAX_METADATA_ENTRIES = 256

/** What an object's metadata may have in a file. On a cluster the API server judges metadata; the bounds are its own. */
export const metadataSchema = z.strictObject({
  name: objectName().describe('Unique within kind and namespace.'),
  namespace: namespaceName().default('default').describe('The namespace; references never leave it.'),
  labels: z
    .record(z.string().min(1).max(317), z.string().max(63))
    .meta({ maxProperties: MAX_METADATA_ENTRIES })
    .default({})
    .describe('Labels, for selectors.'),
  annotations: z
    .record(z.string().min(1).max(317), z.string().max(65_536))
    .meta({ maxProperties: MAX_METADATA_ENTRIES })
    .default({})
    .describe('Annotations, for tools.'),
})

export type Metadata = z.output<typeof metadataSchema>
