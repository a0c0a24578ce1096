import type { RawFrame } from '../wire/deframer.ts'
import type { ServerConfig } from './config.ts'
import type { Established } from './established.ts'

/** Starts the responder's side. Throws IncompatibleError PROFILE_NOT_IMPLEMENTED when the minimum is High or Sovereign. */
export declare function awaitClientHello(config: ServerConfig): AwaitClientHello

/** A state consumes itself: a second `receive` is MisuseError STATE. Every failure wipes. */
export declare class AwaitClientHello {
  /** `flights` are SERVER_HELLO and SERVER_AUTH, to be written in this order. */
  receive(frame: RawFrame): { flights: Uint8Array[]; next: AwaitClientAuth }
  wipe(): void
}

export declare class AwaitClientAuth {
  receive(frame: RawFrame): { established: Established }
  wipe(): void
}
