/** The relay: what the command line and tests start. */

export type { Refusal } from './config-store/contract.ts'
export { openStateFolder } from './config-store/state/node-state-folder.ts'
export type { StateFolder } from './config-store/state/state-folder.ts'
export { lockState, type StateLock, StateLockedError } from './config-store/state/state-lock.ts'
export {
  type CreateRelayOptions,
  type ListenAddress,
  type Relay,
  type RelayAddresses,
  type RelayOptions,
  type RelayStartCode,
  RelayStartError,
  type RunningRelay,
} from './contract.ts'
export { newBootId } from './control/boot-id.ts'
export type { InstanceName, LiveRelay } from './control/contract.ts'
export {
  type ControlledRelay,
  type ControlledRelayOptions,
  startControlledRelay,
} from './control/controlled-relay.ts'
export { createRelay } from './live-relay.ts'
export { startRelay } from './relay.ts'
