import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { identityOf, type ProcessIdentity, signalProcess } from './identity.ts'
import type { RunFolder } from './run-folder.ts'

/** A part of the cluster that runs until it is killed. */
export interface Daemon {
  readonly name: string
  readonly logFile: string
  /** Rejects when it ends without having been killed, with the end of its log. */
  readonly failure: Promise<never>
  signal(signal: NodeJS.Signals): void
  /** SIGKILL; resolves when it is gone. What a cluster of tests holds need not be flushed. */
  kill(): Promise<void>
}

export interface DaemonOptions {
  /** Put in front of the program, for example `['nsenter', '--net=...']`. */
  readonly wrapper?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/**
 * Starts `program` with its output in a log of the run folder. It dies with the thread that started it, and is
 * remembered, for the case that it does not.
 */
export function startDaemon(
  folder: RunFolder,
  name: string,
  program: string,
  args: readonly string[],
  options: DaemonOptions = {},
): Daemon {
  const logFile = folder.file('logs', `${name}.log`)
  const log = openSync(logFile, 'a')
  const command = [...(options.wrapper ?? []), 'setpriv', '--pdeathsig=KILL', program, ...args]
  const [first = program, ...rest] = command
  const child = spawn(first, rest, {
    cwd: options.cwd ?? folder.path,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const identity = child.pid === undefined ? undefined : identityOf(child.pid)
  if (identity !== undefined) folder.remember(identity)
  return new ChildDaemon(name, logFile, child, identity)
}

class ChildDaemon implements Daemon {
  readonly name: string
  readonly logFile: string
  readonly failure: Promise<never>
  readonly #ended: Promise<unknown>
  readonly #identity: ProcessIdentity | undefined
  #killed = false

  constructor(name: string, logFile: string, child: ChildProcess, identity: ProcessIdentity | undefined) {
    this.name = name
    this.logFile = logFile
    this.#identity = identity
    this.#ended = once(child, 'exit').catch((error: unknown) => error)
    this.failure = this.#ended.then((how) => {
      if (this.#killed) return new Promise<never>(() => {})
      throw new Error(`${name} ended (${String(how)}): ${logTail(logFile)}`)
    })
    this.failure.catch(() => {}) // whoever waits for it hears of it
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#identity !== undefined) signalProcess(this.#identity, signal)
  }

  async kill(): Promise<void> {
    this.#killed = true
    this.signal('SIGKILL')
    await this.#ended
  }
}

function logTail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-15).join('\n')
}
