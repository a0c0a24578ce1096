import { IdentityFileError, readIdentityFile } from '@causeway/npamp/crypto/node'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { printIdentity } from './print-identity.ts'

export async function showKey({ file, json }: { file: string; json: boolean }, host: CliHost): Promise<ExitCode> {
  try {
    const identity = await readIdentityFile(file)
    for (const warning of identity.warnings) host.writeError(`causeway: warning: ${warning}\n`)
    printIdentity(file, identity, json, host)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof IdentityFileError)) throw error
    host.writeError(`causeway: ${error.message}\n`)
    return EXIT.badInput
  }
}
