import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type StateFile, type StateFolder, UnsureReplaceError } from './state-folder.ts'

/** Configuration may hold credentials. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** Makes the folder where it is not there. */
export async function openStateFolder(path: string): Promise<StateFolder> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  return {
    path,
    read: (name, maxOctets) => read(join(path, name), maxOctets),
    replace: (name, pieces) => replace(path, name, pieces),
    rename: async (from, to) => {
      await rename(join(path, from), join(path, to))
      await syncFolder(path)
    },
    open: async (name) => stateFile(await open(join(path, name), 'r+')),
  }
}

async function read(path: string, maxOctets: number): Promise<Buffer | undefined> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size } = await file.stat()
    if (size > maxOctets) throw new RangeError(`${path} has ${size} octets; at most ${maxOctets} are read`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Beside its place first; a rename puts it there, and lasts once the folder itself is on the disk. */
async function replace(folder: string, name: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const next = join(folder, `${name}.new`)
  try {
    const file = await open(next, 'w', FILE_MODE)
    try {
      let offset = 0
      for (const piece of pieces) {
        await writeAll(file, piece, offset)
        offset += piece.length
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(next, join(folder, name))
  } catch (error) {
    await rm(next, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(folder).catch((cause: unknown) => {
    throw new UnsureReplaceError({ cause })
  })
}

function stateFile(file: FileHandle): StateFile {
  return {
    write: async (octets, offset) => {
      await writeAll(file, octets, offset)
      await file.datasync()
    },
    truncate: async (length) => {
      await file.truncate(length)
      await file.sync()
    },
    close: () => file.close(),
  }
}

/** A disk that is nearly full takes a part. */
async function writeAll(file: FileHandle, octets: Uint8Array, offset: number): Promise<void> {
  let written = 0
  while (written < octets.length) {
    const { bytesWritten } = await file.write(octets, written, octets.length - written, offset + written)
    written += bytesWritten
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no handle of a folder, and needs none.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
