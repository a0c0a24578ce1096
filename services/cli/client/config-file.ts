import { randomUUID } from 'node:crypto'
import {
  type FileHandle,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { EXIT } from '../exit-codes.ts'
import { ClientError } from './client-error.ts'

/** Files of other programs: read whole, replaced whole or not at all. Everything here throws ClientError. */

/** The text of a file with its byte order mark, if it has one; undefined where there is no file. */
export async function readText(path: string): Promise<string | undefined> {
  const octets = await readFile(path).catch((error) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw failed(path, 'cannot be read', error)
  })
  if (octets === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch {
    throw new ClientError(`${path}: is not UTF-8`)
  }
}

/**
 * Puts a text in a file's place, at once, with the mode that the file has; a symbolic link stays one; folders are made as
 * needed.
 */
export async function writeText(path: string, text: string, { mode }: { readonly mode: number }): Promise<void> {
  const target = await targetOf(path)
  await makeFolder(dirname(target))
  const temporary = `${target}.${randomUUID().slice(0, 8)}.tmp`
  let file: FileHandle | undefined
  try {
    const present = await stat(target).catch(() => undefined)
    file = await open(temporary, 'wx', mode)
    if (present !== undefined) await file.chmod(present.mode & 0o7777)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(temporary, target)
  } catch (error) {
    await file?.close().catch(() => {})
    await unlink(temporary).catch(() => {})
    throw failed(path, 'cannot be written', error)
  }
}

/** Removes a file, and those of the folders, the outermost first, that are empty then. */
export async function removeFile(path: string, folders: readonly string[]): Promise<void> {
  await unlink(await targetOf(path)).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw failed(path, 'cannot be removed', error)
  })
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {})
}

/** What a symbolic link leads to, also when that is not there yet. */
async function targetOf(path: string): Promise<string> {
  let at = path
  for (let hop = 0; hop < MAX_LINKS; hop++) {
    const real = await realpath(at).catch(() => undefined)
    if (real !== undefined) return real
    const next = await readlink(at).catch(() => undefined)
    if (next === undefined) return at
    // What a link names starts from the folder where it really lies.
    const folder = await realpath(dirname(at)).catch(() => dirname(at))
    at = resolve(folder, next)
  }
  throw new ClientError(`${path} is a symbolic link that leads nowhere: there are more than ${MAX_LINKS} in a row`)
}

/** As many as Linux follows. */
const MAX_LINKS = 40

/** The folders that `writeText` would have to make, the outermost first. */
export async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = []
  let at = dirname(await targetOf(path))
  for (; (await stat(at).catch(() => undefined)) === undefined && at !== dirname(at); at = dirname(at))
    missing.unshift(at)
  return missing
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw failed(folder, 'cannot be made', error)
  })
}

function failed(path: string, what: string, error: unknown): ClientError {
  return new ClientError(`${path} ${what}: ${codeOf(error) ?? String(error)}`, EXIT.failed)
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
