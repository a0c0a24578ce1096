import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from './tls-material.ts'

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certificateChain: string
  readonly key: string
  readonly authorities: string
}

/** Why files cannot be used. The message names the file, and nothing of what it holds. */
export class TlsFilesError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TlsFilesError'
  }
}

/** A chain of a handful of certificates is some kilobytes, a bundle of authorities hardly more. */
const MAX_FILE_OCTETS = 1024 * 1024

/** Reads the files and sees that they belong together. Rejects with TlsFilesError. */
export async function readTls(files: TlsFiles): Promise<TlsMaterial> {
  const certificateChain = await readBounded(files.certificateChain)
  const key = await readBounded(files.key)
  const authorities = await readBounded(files.authorities)
  usable(files.certificateChain, () => new X509Certificate(certificateChain))
  usable(files.key, () => createPrivateKey(key))
  usable(files.authorities, () => {
    new X509Certificate(authorities)
    createSecureContext({ ca: authorities })
  })
  if (!new X509Certificate(certificateChain).checkPrivateKey(createPrivateKey(key))) {
    throw new TlsFilesError(`${files.key} is not the key of the certificate in ${files.certificateChain}`)
  }
  return { certificateChain, key, authorities }
}

async function readBounded(path: string): Promise<Buffer> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const { size } = await file.stat()
    if (size > MAX_FILE_OCTETS) throw new TlsFilesError(`${path} has more than ${MAX_FILE_OCTETS} octets`)
    return await file.readFile()
  } catch (error) {
    if (error instanceof TlsFilesError) throw error
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new TlsFilesError(`${path} cannot be read: ${reason}`, { cause: error })
  } finally {
    await file?.close()
  }
}

function usable(path: string, use: () => unknown): void {
  try {
    use()
  } catch (error) {
    throw new TlsFilesError(`${path} is not PEM that can be used`, { cause: error })
  }
}
