/** The relay: what the command line and tests start. */

export type { Refusal } from './config-store/contract.ts'
export { openStateFolder } from './config-store/state/node-state-folder.ts'
export type { StateFolder } from './config-store/state/state-folder.ts'
export { lockState, type StateLock, StateLockedError } from './config-store/state/state-lock.ts'
export type { CreateRelayOptions, ListenAddress, Relay, RelayAddresses } from './contract.ts'
export { newBootId } from './control/boot-id.ts'
export type { InstanceName, LiveRelay } from './control/contract.ts'
export {
  type ControlledRelay,
  type ControlledRelayOptions,
  startControlledRelay,
} from './control/controlled-relay.ts'
export { createRelay } from './live-relay.ts'
