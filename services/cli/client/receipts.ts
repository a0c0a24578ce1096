import { createHash } from 'node:crypto'
import { posix, win32 } from 'node:path'
import type { Machine } from '../host.ts'
import { ClientError } from './client-error.ts'
import type { Entry } from './clients.ts'
import { missingFolders, readText, removeFile, writeText } from './config-file.ts'
import type { Edit } from './edits.ts'

/**
 * What this program has written into other programs' files, so that it can be taken out again octet for octet. Nothing of
 * the files themselves is kept but what `--force` replaced.
 */
export interface Receipts {
  readonly version: 1
  /** Folders that were made for the receipts themselves; the outermost first. */
  readonly createdFolders: readonly string[]
  /** By path. */
  readonly files: Record<string, FileReceipt>
}

export interface FileReceipt {
  /** Folders and file that were not there before the first entry; the outermost folder first. */
  readonly createdFolders: readonly string[]
  readonly createdFile: boolean
  readonly createdContainer: boolean
  /** Of the file as we left it last: if it still is so, `log` can be undone. */
  readonly sha256: string
  /** What was done since nothing of ours stood in the file, or since somebody else has changed it. */
  readonly log: readonly LoggedEdits[]
  /** Whether nothing of ours stood in the file when `log` began. */
  readonly logIsWhole: boolean
  readonly entries: Record<string, EntryReceipt>
}

export interface LoggedEdits {
  readonly kind: 'add' | 'replace' | 'remove'
  readonly name: string
  readonly edits: readonly Edit[]
}

interface EntryReceipt {
  readonly entry: Entry
  /** What stood between it and the text before it. */
  readonly gap: string
  /** The entry of somebody else's that it took the place of. */
  readonly replaced?: unknown
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Where the receipts lie: state of the person's on this machine. */
export function receiptsFile(
  { platform, homeFolder }: Machine,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix
  const home = env.HOME || env.USERPROFILE || homeFolder
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'causeway', FILE)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'causeway', FILE)
  const state = isAbsolute(env.XDG_STATE_HOME ?? '') ? (env.XDG_STATE_HOME ?? '') : join(home, '.local', 'state')
  return join(state, 'causeway', FILE)
}

const FILE = 'clients.json'

export async function readReceipts(path: string): Promise<Receipts> {
  const text = await readText(path)
  if (text === undefined) return { version: 1, createdFolders: [], files: {} }
  const found = parsed(text) as Partial<Receipts> | undefined
  if (found?.version !== 1 || typeof found.files !== 'object')
    throw new ClientError(`${path} is not what this program has written there; move it away`)
  return { version: 1, createdFolders: found.createdFolders ?? [], files: found.files }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An empty list leaves no file. */
export async function writeReceipts(path: string, receipts: Receipts): Promise<void> {
  if (Object.keys(receipts.files).length > 0) {
    const missing = await missingFolders(path)
    const kept = { ...receipts, createdFolders: [...receipts.createdFolders, ...missing] }
    await writeText(path, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
    return
  }
  const { dirname } = path.includes('\\') ? win32 : posix
  await removeFile(path, [...receipts.createdFolders, dirname(path)])
}
