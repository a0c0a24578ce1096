import { z } from 'zod'

/** What our own code must know of a field besides its schema. Not part of what a CRD says. */
export interface FieldFacts {
  /** A path of the file system; a relative one starts from the folder of the file that the object stands in. */
  readonly file?: true
  /** A program: a path as of `file` where it has a separator, else a name that is looked up in PATH. */
  readonly program?: true
  /** Printed as `[redacted]`. */
  readonly secret?: true
  /** A URL whose query is printed as `[redacted]`: people put keys there. */
  readonly secretQuery?: true
}

export const FIELD_FACTS = z.registry<FieldFacts>()
