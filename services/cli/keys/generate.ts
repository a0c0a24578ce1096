import { createIdentityFile, IdentityFileError } from '@causeway/npamp/crypto/node'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { printIdentity } from './print-identity.ts'

export async function generateKey(
  { out, force, json }: { out: string; force: boolean; json: boolean },
  host: CliHost,
): Promise<ExitCode> {
  try {
    printIdentity(out, await createIdentityFile(out, { overwrite: force }), json, host)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof IdentityFileError)) throw error
    const hint = error.code === 'EXISTS' ? '; --force replaces it, and with it this identity' : ''
    host.writeError(`causeway: ${error.message}${hint}\n`)
    return error.code === 'NOT_WRITABLE' ? EXIT.failed : EXIT.badInput
  }
}
