import type { Rule } from './kind.ts'
import { MAX_METADATA_ENTRIES, type Metadata } from './metadata.ts'

/** Rules of every kind. */
export const METADATA_RULES: readonly Rule<{ readonly metadata: Metadata }>[] = [
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
