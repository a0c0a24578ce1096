import type { How } from '../../fixtures/servers/ledger.ts'
import type { Ending } from './ending.ts'

/** What the ledger server's tool `run` takes. */
export interface RunArguments {
  readonly key: string
  readonly how?: How
  readonly ms?: number
  readonly octets?: number
  /** Carried along, for calls that have to have a size. */
  readonly ballast?: string
}

/** A client that can call the ledger server and tells how that ended. */
export interface Caller {
  readonly name: string
  readonly era: 'legacy' | 'modern'
  /** Never rejects. */
  run(args: RunArguments): Promise<Ending>
  /** Connects anew, as a client does that lost its server or its session. */
  reconnect(): Promise<void>
  close(): Promise<void>
}
