import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { type File, FileSchema, KeyPairSchema } from '@causeway/rpc'
import { afterEach, beforeEach } from 'vitest'
import { FileReader } from './file-reader.ts'
import { ConfigProblem } from './problem.ts'

/** A folder for the files of each test, which is what is mounted too. */
export function useConfigFolder() {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  return {
    path: (name: string) => join(folder, name),
    reader: () => new FileReader({ mounts: folder }),
    /** Writes it and answers its absolute path. */
    write(name: string, content: string | Uint8Array): string {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    },
  }
}

export function at(path: string, sha256?: Uint8Array): File {
  return create(FileSchema, { location: { case: 'path', value: path }, ...(sha256 === undefined ? {} : { sha256 }) })
}

export function mounted(name: string, sha256?: Uint8Array): File {
  return create(FileSchema, { location: { case: 'mounted', value: name }, ...(sha256 === undefined ? {} : { sha256 }) })
}

export function keyPair(certificate: string, key: string) {
  return create(KeyPairSchema, { certificate: at(certificate), key: at(key) })
}

/** Why something cannot be. */
export async function problemOf(work: Promise<unknown>): Promise<ConfigProblem> {
  const error: unknown = await work.catch((reason) => reason)
  if (error instanceof ConfigProblem) return error
  throw error instanceof Error ? error : new Error('it could be')
}
