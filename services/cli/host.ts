import type { startRelay } from '@causeway/relay'

/** What a command needs of the world around it. */
export interface CliHost {
  /** Standard output: what was asked for. */
  writeOut(text: string): void
  /** Standard error: problems and logs. */
  writeError(text: string): void
  /** Calls back for every SIGINT and SIGTERM. */
  onStopSignal(callback: () => void): void
  /** Ends the process at once, as interrupted. */
  exitNow(): void
  readonly startRelay: typeof startRelay
}
