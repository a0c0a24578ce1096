import { z } from 'zod'
import { annotationMap, labelMap } from '../fields/labels.ts'
import { namespaceName, objectName } from '../fields/names.ts'

/** What an object's metadata may have in a file. On a cluster the API server judges metadata. */
export const metadataSchema = z.strictObject({
  name: objectName().describe('Unique within kind and namespace.'),
  namespace: namespaceName().default('default').describe('The namespace.'),
  labels: labelMap(256).default({}).describe('Labels, for selectors.'),
  annotations: annotationMap(256, 262_144).default({}).describe('Annotations, for tools.'),
})

export type Metadata = z.output<typeof metadataSchema>
