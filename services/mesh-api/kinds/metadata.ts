import { z } from 'zod'
import { namespaceName, objectName } from '../fields/names.ts'

/** What an object's metadata may have in a file. On a cluster the API server judges metadata; the bounds are its own. */
export const metadataSchema = z.strictObject({
  name: objectName().describe('Unique within kind and namespace.'),
  namespace: namespaceName().default('default').describe('The namespace; references never leave it.'),
  labels: z
    .record(z.string().min(1).max(317), z.string().max(63))
    .default({})
    .meta({ description: 'Labels, for selectors.', maxProperties: 256 }),
  annotations: z
    .record(z.string().min(1).max(317), z.string().max(65_536))
    .default({})
    .meta({ description: 'Annotations, for tools.', maxProperties: 256 }),
})

export type Metadata = z.output<typeof metadataSchema>
