import type { ConnectOptions } from '@causeway/connect'
import type { createRelay, newBootId, startControlledRelay } from '@causeway/relay'

/** What a command needs of the world around it. */
export interface CliHost {
  /** The environment variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard output: what was asked for. */
  writeOut(text: string): void
  /** Standard error: problems and logs. */
  writeError(text: string): void
  /** Calls back for every SIGINT and SIGTERM. */
  onStopSignal(callback: () => void): void
  /** Calls back when the process ends, however it does, other than by SIGKILL; only what is synchronous is still done. */
  onExit(callback: () => void): void
  /** Ends the process at once, as interrupted. */
  exitNow(): void
  /** Loaded when it is needed: `keys`, and a wrong file, are answered without all that a relay is made of. */
  loadRelay(): Promise<RelayModule>
  /** `causeway connect` on the streams and signals of the process. Resolves with the exit code. */
  connect(options: Omit<ConnectOptions, 'env'>): Promise<number>
  readonly machine: Machine
}

/** Where the files of other programs lie, and how they can start ours. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly homeFolder: string
  readonly workingFolder: string
  /** Absolute: the Node that runs this. */
  readonly node: string
  /** Absolute: what `node` starts as `causeway-connect`. */
  readonly connectLauncher: string
}

export interface RelayModule {
  readonly createRelay: typeof createRelay
  readonly startControlledRelay: typeof startControlledRelay
  readonly newBootId: typeof newBootId
}
