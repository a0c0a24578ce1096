import { readFile, stat } from 'node:fs/promises'
import { RelayStartError } from '../contract.ts'

/** Bundles of certificate authorities are the largest files that a relay reads. */
const MAX_FILE_OCTETS = 4 * 1024 * 1024

/** A PEM file that `fieldPath` names. Throws RelayStartError CERTIFICATE_FILE. */
export async function readPemFile(path: string, fieldPath: string): Promise<Uint8Array> {
  const octets = await readBounded(path, fieldPath)
  if (!octets.includes('-----BEGIN ')) throw unusable(path, fieldPath, 'is not a PEM file')
  return octets
}

async function readBounded(path: string, fieldPath: string): Promise<Buffer> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw unusable(path, fieldPath, 'is not a regular file')
    if (found.size > MAX_FILE_OCTETS) throw unusable(path, fieldPath, `is larger than ${MAX_FILE_OCTETS} octets`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof RelayStartError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw unusable(path, fieldPath, code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`)
  }
}

function unusable(path: string, fieldPath: string, what: string): RelayStartError {
  return new RelayStartError('CERTIFICATE_FILE', fieldPath, `${path} ${what}`)
}
