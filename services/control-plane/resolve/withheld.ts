/**
 * Why an object that is valid is not sent as it stands: what a relay has of it stays in force, and the Programmed condition
 * says so (CONTROL section 3: never open, and never gone, because something cannot be had).
 */
export class Withheld extends Error {
  readonly reason: WithheldReason
  /** As in `spec.listeners.mcp.tls`. */
  readonly fieldPath: string

  constructor(reason: WithheldReason, fieldPath: string, message: string) {
    super(message)
    this.name = 'Withheld'
    this.reason = reason
    this.fieldPath = fieldPath
  }
}

export type WithheldReason =
  /** The schema takes it, this version does nothing with it. */
  | 'NotImplemented'
  /** The identity that it needs is not there yet. */
  | 'IdentityPending'
  /** An entry of a Secret or ConfigMap has not been projected for the relay yet. */
  | 'CredentialPending'
  /** What it refers to is itself not valid. */
  | 'ReferencePending'
  /** Relays take no resource of its size. */
  | 'TooLarge'

export function notImplementedYet(fieldPath: string): Withheld {
  return new Withheld('NotImplemented', fieldPath, `${fieldPath} is not implemented yet`)
}
