import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FILE_LIMITS } from './limits.ts'
import { ConfigurationError, type Problem } from './problem.ts'
import type { SourceFile } from './source-file.ts'

/**
 * Reads configuration files; a pipe is read to its end. Throws ConfigurationError with one problem for every file that
 * cannot be read or is larger than the limit; never holds more than the limit of any.
 */
export async function readSourceFiles(paths: readonly string[]): Promise<SourceFile[]> {
  const results = await Promise.all(paths.map(readSourceFile))
  const problems = results.filter((result) => 'message' in result)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return results.filter((result) => 'octets' in result)
}

async function readSourceFile(path: string): Promise<SourceFile | Problem> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY)
    const found = await file.stat()
    if (found.isDirectory()) return problem(path, 'is a folder')
    if (found.size > FILE_LIMITS.octets) return problem(path, TOO_LARGE)
    const octets = await readAtMost(file, FILE_LIMITS.octets)
    return octets === undefined ? problem(path, TOO_LARGE) : { name: path, octets, folder: dirname(path) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return problem(path, code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`)
  } finally {
    await file?.close()
  }
}

const TOO_LARGE = `is larger than ${FILE_LIMITS.octets} octets`
const PIECE_OCTETS = 65_536

/** Undefined when there is more. */
async function readAtMost(file: FileHandle, limitOctets: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let total = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_OCTETS), 0, PIECE_OCTETS)
    if (bytesRead === 0) return Buffer.concat(pieces, total)
    total += bytesRead
    if (total > limitOctets) return undefined
    pieces.push(buffer.subarray(0, bytesRead))
  }
}

function problem(file: string, message: string): Problem {
  return { file, line: 0, column: 0, fieldPath: '', message }
}
