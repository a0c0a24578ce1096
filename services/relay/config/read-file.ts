import { readFile, stat } from 'node:fs/promises'
import { type RelayStartCode, RelayStartError } from '../contract.ts'

/** Bundles of certificate authorities are the largest files that a relay reads. */
const MAX_FILE_OCTETS = 4 * 1024 * 1024

/** A PEM file that `fieldPath` names. Throws RelayStartError CERTIFICATE_FILE. */
export async function readPemFile(path: string, fieldPath: string): Promise<Uint8Array> {
  const octets = await readBounded(path, fieldPath, 'CERTIFICATE_FILE', MAX_FILE_OCTETS)
  if (!octets.includes('-----BEGIN ')) throw unusable(path, fieldPath, 'CERTIFICATE_FILE', 'is not a PEM file')
  return octets
}

/** The text of a file with a secret that `fieldPath` names. Throws RelayStartError SECRET. */
export async function readSecretFile(path: string, fieldPath: string, maxOctets: number): Promise<string> {
  return (await readBounded(path, fieldPath, 'SECRET', maxOctets)).toString('utf8')
}

async function readBounded(path: string, fieldPath: string, code: RelayStartCode, maxOctets: number): Promise<Buffer> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw unusable(path, fieldPath, code, 'is not a regular file')
    if (found.size > maxOctets) throw unusable(path, fieldPath, code, `is larger than ${maxOctets} octets`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof RelayStartError) throw error
    const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw unusable(path, fieldPath, code, cause === 'ENOENT' ? 'does not exist' : `cannot be read (${cause})`)
  }
}

function unusable(path: string, fieldPath: string, code: RelayStartCode, what: string): RelayStartError {
  return new RelayStartError(code, fieldPath, `${path} ${what}`)
}
