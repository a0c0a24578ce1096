import type { LocalRule } from './kind.ts'
import { MAX_METADATA_ENTRIES, type Metadata } from './metadata.ts'

/** Rules of every kind, for files; on a cluster the API server judges metadata by itself. */
export const METADATA_RULES: readonly LocalRule<{ readonly metadata: Metadata }>[] = [
  {
    id: 'LabelsBounded',
    message: `must have at most ${MAX_METADATA_ENTRIES} entries`,
    fieldPath: 'metadata.labels',
    holds: ({ metadata }) => Object.keys(metadata.labels).length <= MAX_METADATA_ENTRIES,
  },
  {
    id: 'AnnotationsBounded',
    message: `must have at most ${MAX_METADATA_ENTRIES} entries`,
    fieldPath: 'metadata.annotations',
    holds: ({ metadata }) => Object.keys(metadata.annotations).length <= MAX_METADATA_ENTRIES,
  },
]
