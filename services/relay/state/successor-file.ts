import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeSpki, encodeSpki, NpampError } from '@causeway/npamp'
import type { Logger } from '@causeway/telemetry'
import type { KeptSuccessor, SuccessorStore } from '../mesh/successor-store.ts'

type Kept = ReadonlyMap<string, readonly KeptSuccessor[]>

interface Entry {
  readonly peer: string
  /** SPKI, base64. */
  readonly current: string
  /** Base64. */
  readonly statement: string
  readonly receivedS: number
}

const FILE = 'successors.json'
const MAX_FILE_OCTETS = 16 * 1024 * 1024

/** Successors of peers in a file of the state folder. One that cannot be read is told and taken for empty: it proves itself. */
export async function openSuccessorFile(folder: string, logger: Logger): Promise<SuccessorStore> {
  const path = join(folder, FILE)
  const found = await read(path, logger)
  const writer = new Writer(folder, path, logger)
  return { load: () => new Map(found), save: (kept) => writer.write(kept) }
}

async function read(path: string, logger: Logger): Promise<Map<string, KeptSuccessor[]>> {
  try {
    if ((await stat(path)).size > MAX_FILE_OCTETS) throw new RangeError(`is larger than ${MAX_FILE_OCTETS} octets`)
    return decode(await readFile(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if ('code' in error && error.code === 'ENOENT') return new Map()
    logger.warn({ path, reason: error.message }, 'what peers announced of their next keys cannot be read')
    return new Map()
  }
}

/** Writes one state after the other, and of those that wait only the newest. */
class Writer {
  readonly #folder: string
  readonly #path: string
  readonly #logger: Logger
  #next: Kept | undefined
  #writing = false

  constructor(folder: string, path: string, logger: Logger) {
    this.#folder = folder
    this.#path = path
    this.#logger = logger
  }

  write(kept: Kept): void {
    this.#next = new Map(kept)
    if (!this.#writing) void this.#run()
  }

  async #run(): Promise<void> {
    this.#writing = true
    while (this.#next !== undefined) {
      const kept = this.#next
      this.#next = undefined
      try {
        await this.#replace(encode(kept))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        this.#logger.error({ path: this.#path, reason }, 'what peers announced of their next keys cannot be written')
      }
    }
    this.#writing = false
  }

  async #replace(text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const beside = `${this.#path}.new`
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, this.#path)
  }
}

function encode(kept: Kept): string {
  const entries = [...kept].flatMap(([peer, successors]) =>
    successors.map(
      ({ current, statement, receivedS }): Entry => ({
        peer,
        current: Buffer.from(encodeSpki(current)).toString('base64'),
        statement: Buffer.from(statement).toString('base64'),
        receivedS,
      }),
    ),
  )
  return `${JSON.stringify({ version: 1, successors: entries }, null, 2)}\n`
}

/** Throws SyntaxError or TypeError for what `encode` did not write. */
function decode(text: string): Map<string, KeptSuccessor[]> {
  const parsed: unknown = JSON.parse(text)
  if (!isFile(parsed)) throw new TypeError('is not what a relay writes there')
  const kept = new Map<string, KeptSuccessor[]>()
  for (const { peer, current, statement, receivedS } of parsed.successors) {
    const entry = { current: keyOf(current), statement: Buffer.from(statement, 'base64'), receivedS }
    kept.set(peer, [...(kept.get(peer) ?? []), entry])
  }
  return kept
}

function keyOf(spki: string): KeptSuccessor['current'] {
  try {
    return decodeSpki(Buffer.from(spki, 'base64'))
  } catch (error) {
    if (error instanceof NpampError) throw new TypeError('holds a key that is none')
    throw error
  }
}

function isFile(value: unknown): value is { readonly successors: readonly Entry[] } {
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return false
  return 'successors' in value && Array.isArray(value.successors) && value.successors.every(isEntry)
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { peer, current, statement, receivedS } = value as Partial<Record<keyof Entry, unknown>>
  return [peer, current, statement].every((text) => typeof text === 'string') && Number.isSafeInteger(receivedS)
}
