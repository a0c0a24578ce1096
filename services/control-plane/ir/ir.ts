import type { BackendIr } from './backend.ts'
import type { PeerIr } from './peer.ts'
import type { RelayIr } from './relay.ts'
import type { RouteIr } from './route.ts'

/**
 * One object as relays need it: plain data, independent of where it came from and of how it is sent. References are
 * resolved, defaults are in place, durations are numbers; nothing of it is read from files.
 */
export type Ir = RelayIr | PeerIr | BackendIr | RouteIr
