import { access, constants, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { printable } from '@causeway/mesh-api'

export interface ProgramPlace {
  /** Its environment's. */
  readonly path: string | undefined
  /** Where relative paths start from. */
  readonly folder: string
}

/**
 * What to warn of where a program is not there: it is started when a client first needs it, and nobody should have to wait
 * for that to see a slip of the pen. Not on Windows, where more than its name and PATH decide what a program is.
 */
export async function missingProgram(command: string, { path, folder }: ProgramPlace): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined
  const isPath = command.includes('/')
  const folders = isPath ? [''] : (path ?? '').split(delimiter)
  for (const one of folders) if (await isExecutable(resolve(folder, one, command))) return undefined
  const where = isPath ? 'is not there, or not executable' : 'is not found in PATH'
  return `the program ${printable(command)} ${where}`
}

/** What to warn of where the folder that a program would start in is not there. */
export async function missingFolder(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found?.isDirectory() === true ? undefined : `the folder ${printable(folder)} is not there`
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
