import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT, withLocalBin } from '../tools/step.ts'
import type { Answer, Order } from './bench.ts'

const BENCH = fileURLToPath(new URL('bench.ts', import.meta.url))

/**
 * A copy of the packages and tests in which a fault can live, sharing the installed dependencies, and a test runner that
 * stays warm in it.
 */
export class Workbench {
  readonly #folder = copyOfTheCheckout()
  #runner: ChildProcess | undefined
  /** Files that changed since the runner looked last. */
  #changed: string[] = []

  /**
   * Replaces `find` by `replace` in a file; the returned function puts the original back. Throws unless `find` stands
   * there exactly once.
   */
  mutate(file: string, find: string, replace: string): () => void {
    const path = join(this.#folder, file)
    const original = readFileSync(path, 'utf8')
    const times = original.split(find).length - 1
    if (times !== 1) throw new Error(`the text to replace stands ${times} times in the file, not once: ${find}`)
    const write = (text: string): void => {
      writeFileSync(path, text)
      this.#changed.push(file)
    }
    write(original.replace(find, () => replace))
    return () => write(original)
  }

  /** Runs the tests of one file whose titles cite one of `ids`. Undefined when they did not end in time, or ended the runner. */
  async run(file: string, ids: readonly string[], limitMs: number): Promise<Answer | undefined> {
    if (this.#runner?.connected !== true) this.#runner = this.#start()
    const runner = this.#runner
    const order: Order = { file, ids, changed: this.#changed }
    this.#changed = []
    const timer = setTimeout(() => runner.kill('SIGKILL'), limitMs)
    const answer = await exchange(runner, order)
    clearTimeout(timer)
    if (answer === undefined) this.#runner = undefined
    return answer
  }

  remove(): void {
    this.#runner?.disconnect()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #start(): ChildProcess {
    return fork(BENCH, [this.#folder], { cwd: this.#folder, stdio: 'ignore', env: withLocalBin(process.env) })
  }
}

/** Undefined when the runner ended instead of answering. */
function exchange(runner: ChildProcess, order: Order): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const done = (answer: Answer | undefined): void => {
      runner.removeAllListeners()
      resolve(answer)
    }
    runner.once('message', (answer) => done(answer as Answer))
    runner.once('exit', () => done(undefined))
    runner.once('error', reject)
    runner.send(order)
  })
}

function copyOfTheCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-mutants-'))
  for (const part of ['services', 'operator', 'test']) {
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    })
  }
  for (const file of ['package.json', 'tsconfig.json', 'vitest.config.ts']) cpSync(join(ROOT, file), join(folder, file))
  linkDependencies(folder)
  return folder
}

/** Installed packages are linked one by one, the workspaces to the copy. */
function linkDependencies(folder: string): void {
  const installed = join(ROOT, 'node_modules')
  mkdirSync(join(folder, 'node_modules/@causeway'), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name !== '@causeway' && name !== '.vite' && name !== '.vite-temp')
      symlinkSync(join(installed, name), join(folder, 'node_modules', name))
  }
  for (const name of readdirSync(join(folder, 'services'))) {
    symlinkSync(join(folder, 'services', name), join(folder, 'node_modules/@causeway', name))
  }
  for (const name of ['operator', 'test']) symlinkSync(join(folder, name), join(folder, 'node_modules/@causeway', name))
}
