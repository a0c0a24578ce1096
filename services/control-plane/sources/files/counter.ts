import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Position } from '../source.ts'

/**
 * The position of files, which have none of their own (CONTROL section 3): an id, and a counter that grows with every
 * change. Kept in a folder, so that a relay that was there before knows what is newer; without one they begin anew with
 * every process, and are another source.
 */
export interface FilesCounter {
  readonly position: Position
  /** Resolves when the next value is kept. Rejects with the error of the file system. */
  advance(): Promise<void>
}

const FILE = 'source.json'

/** Rejects when the folder cannot be made, or what it holds is no counter. */
export async function openCounter(stateFolder: string | undefined): Promise<FilesCounter> {
  if (stateFolder === undefined) return new Counter({ source: randomBytes(16), value: 0n }, undefined)
  await mkdir(stateFolder, { recursive: true, mode: 0o700 })
  const path = join(stateFolder, FILE)
  const kept = await readKept(path)
  return new Counter(kept ?? { source: randomBytes(16), value: 0n }, path)
}

class Counter implements FilesCounter {
  #position: Position
  readonly #path: string | undefined

  constructor(position: Position, path: string | undefined) {
    this.#position = position
    this.#path = path
  }

  get position(): Position {
    return this.#position
  }

  async advance(): Promise<void> {
    const next = { source: this.#position.source, value: this.#position.value + 1n }
    // Kept before it is used: no value ever means two different things.
    if (this.#path !== undefined) await keep(this.#path, next)
    this.#position = next
  }
}

async function readKept(path: string): Promise<Position | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const found = KEPT.exec(text)
  if (found?.[1] === undefined || found[2] === undefined) throw new Error(`${path} is not the counter of a source`)
  return { source: Buffer.from(found[1], 'hex'), value: BigInt(found[2]) }
}

const KEPT = /^\{"source":"([0-9a-f]{32})","value":"([0-9]{1,19})"\}\n$/

async function keep(path: string, { source, value }: Position): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(`{"source":"${Buffer.from(source).toString('hex')}","value":"${value}"}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  // Without it a loss of power may bring the former value back, although relays have been told this one.
  await syncFolder(dirname(path))
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
