import { access, constants } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { printable } from '@causeway/mesh-api'
import type { Reading } from './reading.ts'
import type { Origin } from './servers.ts'

/**
 * Warns of a program that is not there: it is started when a client first needs it, and nobody should have to wait for
 * that to see a slip of the pen. Not on Windows, where more than its name and PATH decide what a program is.
 */
export async function warnOfMissingProgram(
  command: { readonly text: string } & Origin,
  path: string | undefined,
  { folder, findings }: Reading,
): Promise<void> {
  if (process.platform === 'win32') return
  const isPath = command.text.includes('/')
  const candidates = isPath
    ? [resolve(folder, command.text)]
    : (path ?? '').split(delimiter).map((one) => join(one, command.text))
  for (const candidate of candidates) if (await isExecutable(candidate)) return
  const where = isPath ? 'is not there, or not executable' : 'is not found in PATH'
  findings.warn(command, `the program ${printable(command.text)} ${where}`)
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
