import type { ExitCode } from '../exit-codes.ts'
import { EXIT } from '../exit-codes.ts'

/** Why a client's configuration was left as it is; the message is for the person, and names the file. */
export class ClientError extends Error {
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = EXIT.badInput) {
    super(message)
    this.name = 'ClientError'
    this.exitCode = exitCode
  }
}
