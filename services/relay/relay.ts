import type { RelayOptions, RunningRelay } from './contract.ts'

/** Starts one relay. Rejects with RelayStartError; what was opened before is closed again then. */
export declare function startRelay(options: RelayOptions): Promise<RunningRelay>
