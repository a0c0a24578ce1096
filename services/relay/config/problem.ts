/** Why a resource cannot be in force as it was sent: reasons of the Programmed condition (CONTROL section 4). */
export type ProblemReason =
  /** It says what this version does not know, or what cannot be. */
  | 'Invalid'
  | 'NotImplemented'
  /** A file that is mounted is not there yet, or is not yet the one that the configuration was made for. */
  | 'CredentialPending'
  /** A file cannot be read, or is not what it is used as. */
  | 'FileUnusable'
  /** An address cannot be listened on. */
  | 'ListenFailed'
  /** What it refers to is not in force as it was sent. */
  | 'DependencyRefused'
  /** Another resource of this relay has it. */
  | 'PathTaken'
  | 'NameTaken'
  | 'HandleTaken'

/** Without secrets: it is told to the control plane. */
export class ConfigProblem extends Error {
  readonly reason: ProblemReason
  /** In the object, as in `spec.listeners.mcp.tls.certFile`; empty: the object. */
  readonly fieldPath: string

  constructor(reason: ProblemReason, fieldPath: string, message: string) {
    super(message)
    this.name = 'ConfigProblem'
    this.reason = reason
    this.fieldPath = fieldPath
  }
}

/** Of a message that says what this version cannot do anything with. */
export function invalid(fieldPath: string, message: string): ConfigProblem {
  return new ConfigProblem('Invalid', fieldPath, message)
}
