import type { Logger, Metrics } from '@causeway/telemetry'
import type { Backend, BackendClock } from '../contract.ts'

export interface StdioBackend extends Backend {
  /** From the next process and request on. What is open goes on as it began. */
  update(limits: StdioBackendLimits): void
}

export interface StdioBackendOptions {
  /** `backend/namespace/name`. */
  readonly name: string
  /** `spec.mcp.stdio.command`: looked up in PATH where it is no path; never given to a shell. */
  readonly command: string
  readonly args: readonly string[]
  /** `spec.mcp.stdio.env`. */
  readonly env: ReadonlyMap<string, string>
  /** `spec.mcp.stdio.inheritEnv`: names of further variables of the relay's that the process gets. */
  readonly inheritEnv: readonly string[]
  /** Default: the relay's own folder. */
  readonly cwd?: string | undefined
  /** The environment of the relay itself; little of it reaches the process (`environmentOf`). */
  readonly relayEnv: Readonly<Record<string, string | undefined>>
  readonly limits: StdioBackendLimits
  readonly clock: BackendClock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Uniform in [0, 1), for the jitter of restarts; default Math.random. */
  readonly random?: () => number
  /** `Backend.health` is another one. */
  readonly onHealthChanged?: () => void
}

export interface StdioBackendLimits {
  /** Processes for requests of the modern era, over all scopes; one request at a time each. Default 8. */
  readonly maxProcesses?: number
  /**
   * Processes of one principal, over all scopes, that each serve one legacy session or one `subscriptions/listen` (CARRIAGE
   * section 10). Default 32.
   */
  readonly maxSessionProcesses?: number
  /** Modern requests that wait for a process. Default 64. */
  readonly maxQueued?: number
  /** Messages that wait until one process reads its standard input. Default 1,024; 16 MiB of them. */
  readonly maxQueuedPerProcess?: number
  /** One line of a server's standard output. Default 16 MiB. */
  readonly maxReplyOctets?: number
  /** From the start of a process to its first message. None when absent (CARRIAGE section 4). */
  readonly startTimeoutMs?: number
  /** After its standard input was closed, and again after SIGTERM. Default 2 s. */
  readonly stopGraceMs?: number
  /** How long a process of the modern era is kept without work. Default 5 min. */
  readonly idleTimeoutMs?: number
}
