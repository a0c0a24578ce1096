import type { SecretIr } from './file.ts'

/** A local target. */
export interface BackendIr {
  readonly kind: 'backend'
  readonly wireName: string
  /** `namespace/name` of the peers that may reach it, sorted. */
  readonly peers: readonly string[]
  readonly server: HttpServerIr | StdioServerIr
}

export interface HttpServerIr {
  readonly kind: 'http'
  readonly url: string
  readonly transport: 'streamableHttp' | 'httpSse'
  /** Lower-case names. */
  readonly headers: readonly { readonly name: string; readonly value: SecretIr }[]
  readonly acceptHeaders: readonly string[]
  readonly connectTimeoutMs: number | undefined
  readonly firstHeaderTimeoutMs: number | undefined
  readonly maxConcurrency: number | undefined
}

export interface StdioServerIr {
  readonly kind: 'stdio'
  readonly command: string
  /** Secret, as people put keys there; and so is `env`. */
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  /** Names. */
  readonly inheritEnv: readonly string[]
  /** Undefined: the relay's own. */
  readonly cwd: string | undefined
  readonly maxProcesses: number
  readonly maxSessionProcesses: number
  readonly maxQueued: number
}
