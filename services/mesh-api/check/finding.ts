import type { AnyResource } from '../kinds/all-kinds.ts'
import type { FieldPath } from '../load/field-path.ts'

/** One thing that is wrong with an object because of what stands, or does not stand, in others. */
export interface Finding {
  /** Stable, CamelCase; a reason of the Accepted condition on a cluster. */
  readonly id:
    | 'NotFound'
    | 'NotOnRelay'
    | 'NameTaken'
    | 'PathTaken'
    | 'IdentityTaken'
    | 'ListenerMissing'
    | 'KeyFileMissing'
    | 'NotInThisPlace'
    | 'NotImplemented'
    | 'AnchorNotForThis'
    | 'TargetNotNamed'
    | 'ProgramNotPermitted'
  readonly object: AnyResource
  readonly fieldPath: FieldPath
  readonly message: string
}
