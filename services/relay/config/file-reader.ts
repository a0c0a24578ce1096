import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve, sep } from 'node:path'
import type { File } from '@causeway/rpc'
import { ConfigProblem, invalid } from './problem.ts'

export interface FileReaderOptions {
  /** What mounted files are under; undefined: nothing is mounted here. */
  readonly mounts: string | undefined
}

/** Which field of the object says where a file is, by how it is said. */
export interface FileField {
  readonly path: string
  readonly mounted: string
}

/** A file as it is now. */
export interface ReadFile {
  readonly path: string
  readonly octets: Buffer
  readonly fieldPath: string
}

/** Reads the files that one resource names, and remembers which they were, whether they could be read or not. */
export class FileReader {
  /** Absolute paths of all that was asked for: a change of any of them may change the outcome. */
  readonly paths = new Set<string>()
  readonly #digests: string[] = []
  readonly #mounts: string | undefined

  constructor({ mounts }: FileReaderOptions) {
    this.#mounts = mounts
  }

  /**
   * Throws ConfigProblem: CredentialPending where the file is mounted and not there, or has not the content that it must
   * have yet (CONTROL section 5); FileUnusable for any other that cannot be read or is larger than `maxOctets`.
   */
  async read(file: File | undefined, field: FileField, maxOctets: number): Promise<ReadFile> {
    const { path, isMounted } = this.#pathOf(file, field)
    const fieldPath = isMounted ? field.mounted : field.path
    this.paths.add(path)
    const octets = await read(path, { fieldPath, isMounted, maxOctets })
    const digest = createHash('sha256').update(octets).digest()
    this.#digests.push(`${digest.toString('hex')} ${path}`)
    const wanted = file?.sha256 ?? NONE
    if (wanted.length > 0 && !digest.equals(wanted)) {
      octets.fill(0)
      throw new ConfigProblem('CredentialPending', fieldPath, `${path} does not hold what it must hold yet`)
    }
    return { path, octets, fieldPath }
  }

  /** Equal for two readers that read the same content at the same paths. */
  get contents(): string {
    return this.#digests.toSorted().join('\n')
  }

  #pathOf(file: File | undefined, field: FileField): { readonly path: string; readonly isMounted: boolean } {
    switch (file?.location.case) {
      case 'path':
        if (!isAbsolute(file.location.value)) throw invalid(field.path, 'the path of a file must be absolute')
        return { path: file.location.value, isMounted: false }
      case 'mounted':
        return { path: this.#mounted(file.location.value, field.mounted), isMounted: true }
      default:
        throw invalid(field.path, 'there is no file')
    }
  }

  #mounted(name: string, fieldPath: string): string {
    if (this.#mounts === undefined) {
      throw new ConfigProblem('FileUnusable', fieldPath, `nothing is mounted into this relay, so ${name} is not there`)
    }
    const path = resolve(this.#mounts, name)
    if (!path.startsWith(resolve(this.#mounts) + sep)) throw invalid(fieldPath, 'a mounted file is under the mounts')
    return path
  }
}

const NONE = new Uint8Array()

interface ReadOptions {
  readonly fieldPath: string
  readonly isMounted: boolean
  readonly maxOctets: number
}

async function read(path: string, { fieldPath, isMounted, maxOctets }: ReadOptions): Promise<Buffer> {
  const unusable = (what: string): ConfigProblem => new ConfigProblem('FileUnusable', fieldPath, `${path} ${what}`)
  try {
    const found = await stat(path)
    if (!found.isFile()) throw unusable('is not a regular file')
    if (found.size > maxOctets) throw unusable(`is larger than ${maxOctets} octets`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof ConfigProblem) throw error
    const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (cause !== 'ENOENT') throw unusable(`cannot be read (${cause})`)
    if (isMounted) throw new ConfigProblem('CredentialPending', fieldPath, `${path} is not there yet`)
    throw unusable('does not exist')
  }
}
