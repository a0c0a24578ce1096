/** The relay: what the command line and tests start. */
export {
  type ListenAddress,
  type RelayAddresses,
  type RelayOptions,
  type RelayStartCode,
  RelayStartError,
  type RunningRelay,
} from './contract.ts'
export { startRelay } from './relay.ts'
