import { z } from 'zod'
import { annotationMap } from '../fields/labels.ts'
import { namespaceName, objectName } from '../fields/names.ts'

/** So that there is a bound; what a label and an annotation may be is judged by itself (`validate/metadata.ts`). */
const MAX_VALUE = 4_194_304

/** What an object's metadata may have in a file. On a cluster the API server judges metadata. */
export const metadataSchema = z.strictObject({
  name: objectName().describe('Unique within kind and namespace.'),
  namespace: namespaceName().default('default').describe('The namespace.'),
  labels: annotationMap(256, MAX_VALUE).default({}).describe('Labels, for selectors.'),
  annotations: annotationMap(256, MAX_VALUE).default({}).describe('Annotations, for tools.'),
})

export type Metadata = z.output<typeof metadataSchema>
