import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf, isAlive, type ProcessIdentity, signalProcess } from './identity.ts'

const PREFIX = 'causeway-cluster-'
const OWNER = 'owner.json'
const CLEANER = 'cleaner.json'
const PROCESSES = 'processes.jsonl'

/**
 * Everything that one run of a cluster leaves on the disk, and the list of the processes that it started. A run that
 * could not clean up after itself is cleaned up after by the next one.
 */
export class RunFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** A new folder, owned by this process. */
  static create(): RunFolder {
    const path = mkdtempSync(join(tmpdir(), PREFIX))
    // Whole or not at all: a folder whose owner cannot be read would be taken for an abandoned one.
    writeFileSync(join(path, `${OWNER}.new`), JSON.stringify(identityOf(process.pid)))
    renameSync(join(path, `${OWNER}.new`), join(path, OWNER))
    mkdirSync(join(path, 'logs'))
    return new RunFolder(path)
  }

  /** Folders of this user whose owner is gone, each answered to one process only. */
  static claimStale(): RunFolder[] {
    return readdirSync(tmpdir())
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => new RunFolder(join(tmpdir(), name)))
      .filter((folder) => folder.isOwn() && !folder.isClaimed(OWNER) && folder.claim())
  }

  file(...parts: string[]): string {
    return join(this.path, ...parts)
  }

  remember(one: ProcessIdentity): void {
    appendFileSync(this.file(PROCESSES), `${JSON.stringify(one)}\n`)
  }

  /** Ends whatever still runs of what was remembered. */
  killAll(): void {
    for (const one of this.processes()) signalProcess(one, 'SIGKILL')
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 })
  }

  processes(): ProcessIdentity[] {
    const file = this.file(PROCESSES)
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line) as ProcessIdentity)
  }

  private isOwn(): boolean {
    try {
      return statSync(this.path).uid === process.getuid?.() && statSync(this.file(OWNER)).isFile()
    } catch {
      return false // about to be made, or just removed
    }
  }

  private isClaimed(file: string): boolean {
    try {
      return isAlive(JSON.parse(readFileSync(this.file(file), 'utf8')) as ProcessIdentity)
    } catch {
      return false
    }
  }

  private claim(): boolean {
    try {
      if (!this.isClaimed(CLEANER)) rmSync(this.file(CLEANER), { force: true })
      writeFileSync(this.file(CLEANER), JSON.stringify(identityOf(process.pid)), { flag: 'wx' })
      return true
    } catch {
      return false
    }
  }
}
