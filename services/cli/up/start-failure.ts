import type { Refusal } from '@causeway/relay'

/** A relay, and what of its first configuration could not be put into force. */
export interface StartFailure {
  readonly relayName: string
  readonly refusal: Refusal
}
