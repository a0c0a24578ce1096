/** The relay: what the command line and tests start. */
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
export { createRelay } from './live-relay.ts'
export { startRelay } from './relay.ts'
