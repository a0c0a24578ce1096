import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../tools/step.ts'

const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/causeway')

/** The operator as a process of its own, as it runs in its pod, with what it logs. */
export class OperatorProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<number | string>
  #log = ''

  /** @param args its flags */
  constructor(args: readonly string[]) {
    // It dies with the process that started it.
    this.#child = spawn('setpriv', ['--pdeathsig=KILL', process.execPath, join(ROOT, 'operator/main.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE },
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text
      })
    }
    this.ended = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve(code ?? signal ?? 'gone')))
  }

  /** Everything that it printed. */
  get log(): string {
    return this.#log
  }

  /** The lines of its log, as far as they are whole. */
  get lines(): readonly Readonly<Record<string, unknown>>[] {
    const whole = this.#log.slice(0, this.#log.lastIndexOf('\n') + 1)
    return whole
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }

  get isLeading(): boolean {
    return this.lines.some(({ msg }) => msg === 'leading')
  }

  /** It ended because another one may lead by now. */
  get hasLostItsTerm(): boolean {
    return this.lines.some(({ msg }) => msg === 'no longer the leader')
  }

  /** Where health and metrics answer; undefined before it listens. */
  get admin(): string | undefined {
    const line = this.lines.find(({ msg }) => msg === 'operator')
    const { host, port } = (line?.admin ?? {}) as { host?: string; port?: number }
    return host === undefined || port === undefined ? undefined : `http://${host}:${port}`
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** SIGSTOP: everything that it has under way stands still. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGCONT')
    this.#child.kill('SIGTERM')
    await this.ended
  }

  /** At once, without a word to anybody. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}
