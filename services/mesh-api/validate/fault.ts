import type { FieldPath } from '../load/field-path.ts'

/** One thing that is wrong with an object by itself. */
export interface Fault {
  readonly path: FieldPath
  /** What is wrong and what is allowed; never repeats a value of the object. */
  readonly message: string
  /**
   * `shape`: of another type, absent, too large or none of the words allowed; an API server then leaves the rules
   * unchecked. `form`: what else the schema says. `rule`: a rule is broken.
   */
  readonly kind: 'unknown' | 'shape' | 'form' | 'rule'
}
