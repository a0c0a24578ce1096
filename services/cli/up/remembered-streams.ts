import { stat } from 'node:fs/promises'
import { readSourceFiles, type SourceFile } from '@causeway/mesh-api'

/** Files, read again each time; what is a pipe can be read once, and is what it was from then on. */
export class RememberedStreams {
  readonly #remembered = new Map<string, SourceFile>()

  /** Rejects with ConfigurationError. */
  async read(paths: readonly string[]): Promise<readonly SourceFile[]> {
    const again = paths.filter((path) => !this.#remembered.has(path))
    const read = new Map((await readSourceFiles(again)).map((file) => [file.name, file]))
    for (const [path, file] of read) if (!(await isRegular(path))) this.#remembered.set(path, file)
    return paths.flatMap((path) => this.#remembered.get(path) ?? read.get(path) ?? [])
  }
}

async function isRegular(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}
