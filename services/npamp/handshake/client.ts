import type { RawFrame } from '../wire/deframer.ts'
import type { ClientConfig } from './config.ts'
import type { Established } from './established.ts'

/**
 * Starts the initiator's side. `flight` is the whole CLIENT_HELLO frame.
 *
 * @throws IncompatibleError PROFILE_NOT_IMPLEMENTED for High or Sovereign; MisuseError ARGUMENT for a contradictory config.
 */
export declare function startClient(config: ClientConfig): { flight: Uint8Array; next: AwaitServerHello }

/** A state consumes itself: a second `receive` is MisuseError STATE. Every failure wipes. */
export declare class AwaitServerHello {
  receive(frame: RawFrame): AwaitServerAuth
  wipe(): void
}

export declare class AwaitServerAuth {
  /** `flight` is CLIENT_AUTH; application frames may follow it at once. */
  receive(frame: RawFrame): { flight: Uint8Array; established: Established }
  wipe(): void
}
