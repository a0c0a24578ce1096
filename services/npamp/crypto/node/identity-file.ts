import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { SIGNATURE } from '../../codepoints/suites.ts'
import { peerHandle } from '../../discovery/peer-handle.ts'
import type { SigningKey } from '../provider.ts'
import { hash } from './hashes.ts'
import { IdentityFileError } from './identity-file-error.ts'
import { plain } from './octets.ts'
import { replaceFile, writeNewFile } from './private-file.ts'
import { NodeSigningKey } from './signatures.ts'

/** A PKCS#8 Ed25519 key is 119 octets of PEM; this leaves room for the comments that other tools add. */
export const MAX_IDENTITY_FILE_OCTETS = 16_384

/** Who somebody is on the mesh, read from a file. */
export interface Identity {
  readonly key: SigningKey
  readonly algorithm: 'Ed25519'
  readonly peerHandle: string
  /** What is odd about the file but no reason to refuse it, each a sentence that names the file. */
  readonly warnings: readonly string[]
}

/** Reads a private key: PEM, PKCS#8, Ed25519, not encrypted. Throws IdentityFileError. */
export async function readIdentityFile(path: string): Promise<Identity> {
  const { octets, mode } = await readBounded(path)
  try {
    return { ...parseIdentity(path, octets), warnings: permissionWarnings(path, mode) }
  } finally {
    octets.fill(0)
  }
}

/**
 * The identity in `octets`, as `readIdentityFile` reads it from a file; the caller wipes them. `source` is what messages
 * call it. Throws IdentityFileError.
 */
export function parseIdentity(source: string, octets: Uint8Array): Omit<Identity, 'warnings'> {
  if (octets.length > MAX_IDENTITY_FILE_OCTETS) throw tooLarge(source)
  const key = signingKeyOf(source, Buffer.from(octets.buffer, octets.byteOffset, octets.length))
  return { key, algorithm: 'Ed25519', peerHandle: handleOf(key) }
}

/** A new Ed25519 private key as `readIdentityFile` reads it: PKCS#8 PEM. The caller wipes it. */
export function newIdentityPem(): Buffer {
  return Buffer.from(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
}

/**
 * Makes a new Ed25519 identity and writes its private key, mode 0600, synced. Throws IdentityFileError: `EXISTS` when
 * there is something at `path` and `overwrite` is not set. An overwritten file is replaced in one step.
 */
export async function createIdentityFile(
  path: string,
  options: { readonly overwrite?: boolean } = {},
): Promise<Identity> {
  const octets = newIdentityPem()
  try {
    if (options.overwrite === true) await replaceFile(path, octets)
    else await writeNewFile(path, octets)
  } catch (error) {
    octets.fill(0)
    throw IdentityFileError.ofSystem(path, error, 'written')
  }
  try {
    return { ...parseIdentity(path, octets), warnings: [] }
  } finally {
    octets.fill(0)
  }
}

/** A new Ed25519 identity that ends with the process: for who meets no peer that could know it again. */
export function mintIdentity(): Identity {
  const key = toSigningKey(generateKeyPairSync('ed25519').privateKey)
  return { key, algorithm: 'Ed25519', peerHandle: handleOf(key), warnings: [] }
}

/** The size is checked before anything is allocated; a pipe or device that never ends is refused too. */
async function readBounded(path: string): Promise<{ octets: Buffer; mode: number }> {
  let file: FileHandle | undefined
  try {
    // Without O_NONBLOCK opening a pipe would wait for a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile()) throw new IdentityFileError('NOT_A_FILE', path, 'is not a regular file')
    if (found.size > MAX_IDENTITY_FILE_OCTETS) throw tooLarge(path)
    const octets = Buffer.alloc(MAX_IDENTITY_FILE_OCTETS + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(octets, length, octets.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === octets.length) break
    }
    // It may have grown since.
    if (length > MAX_IDENTITY_FILE_OCTETS) throw tooLarge(path)
    return { octets: octets.subarray(0, length), mode: found.mode }
  } catch (error) {
    throw error instanceof IdentityFileError ? error : IdentityFileError.ofSystem(path, error, 'read')
  } finally {
    await file?.close()
  }
}

function signingKeyOf(path: string, octets: Buffer): SigningKey {
  const label = /-----BEGIN ([A-Z0-9 ]{1,64})-----/.exec(octets.toString('latin1'))?.[1]
  if (label === undefined) throw new IdentityFileError('NOT_PEM', path, 'is not a PEM file')
  if (label === 'ENCRYPTED PRIVATE KEY') {
    throw new IdentityFileError('ENCRYPTED', path, 'is encrypted; a relay has nobody to ask for the passphrase')
  }
  if (label !== 'PRIVATE KEY') {
    throw new IdentityFileError('NOT_PRIVATE_KEY', path, `holds ${label}, not a PKCS#8 PRIVATE KEY`)
  }
  const privateKey = importPrivateKey(path, octets)
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    const found = privateKey.asymmetricKeyType ?? 'another algorithm'
    throw new IdentityFileError('WRONG_ALGORITHM', path, `holds a key of ${found}; an identity is Ed25519`)
  }
  return toSigningKey(privateKey)
}

function importPrivateKey(path: string, octets: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: octets, format: 'pem' })
  } catch {
    // The library's text may quote what it could not read, and that is a key.
    throw new IdentityFileError('DAMAGED', path, 'holds a damaged private key')
  }
}

function toSigningKey(privateKey: KeyObject): SigningKey {
  const seed = plain(privateKey.export({ format: 'raw-private' }))
  try {
    return new NodeSigningKey(SIGNATURE.ED25519, seed)
  } finally {
    seed.fill(0)
  }
}

function handleOf(key: SigningKey): string {
  return peerHandle(key.scheme, key.publicKey, (data) => hash('sha256', data))
}

function permissionWarnings(path: string, mode: number): string[] {
  // Windows has no such bits.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return []
  const octal = (mode & 0o777).toString(8).padStart(4, '0')
  return [`${path} has mode ${octal}: others than its owner can reach this private key; chmod 600 it`]
}

function tooLarge(path: string): IdentityFileError {
  return new IdentityFileError('TOO_LARGE', path, `is larger than ${MAX_IDENTITY_FILE_OCTETS} octets`)
}
