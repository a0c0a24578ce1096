import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Logger } from '@causeway/telemetry'
import type { BackendClock } from '../contract.ts'
import { Input, type InputLimits } from './input.ts'
import { type Line, LineReader } from './line-reader.ts'
import type { ProcessEnd } from './process-end.ts'
import { OWN_GROUP } from './process-group.ts'
import { ProcessStop } from './process-stop.ts'
import { logStderr } from './stderr-log.ts'

export interface ServerProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly maxLineOctets: number
  readonly inputLimits: InputLimits
  readonly stopGraceMs: number
  readonly clock: BackendClock
  readonly logger: Logger
  readonly onLineEndsChanged: (count: number) => void
}

export interface ProcessListener {
  /** A whole line of standard output. */
  line(line: Line): void
  /** So many octets of a line that is not complete. */
  arriving(octets: number): void
  /** Once: nothing more will be told. The process may still have to be ended. */
  over(end: ProcessEnd): void
  /** Once, after `over`: neither the process nor anything that it started is left. */
  gone(): void
}

/** A running server: messages go in, lines come out, and nothing of it stays when it is over. */
export class ServerProcess {
  readonly input: Input
  /** Absent when it could not be started. */
  readonly pid: number | undefined
  readonly #options: ServerProcessOptions
  readonly #listener: ProcessListener
  readonly #child: ChildProcess | undefined
  readonly #stop: ProcessStop
  readonly #output: LineReader
  #paused = false
  #telling = false
  /** How it ended; told once all of the output is. */
  #end: ProcessEnd | undefined
  #outputEnded = false
  #exitFollows: unknown
  #over = false
  #gone = false

  /** Starts it. That this failed is told to the listener, later. */
  constructor(options: ServerProcessOptions, listener: ProcessListener) {
    const { inputLimits, onLineEndsChanged, maxLineOctets, stopGraceMs, clock } = options
    this.#options = options
    this.#listener = listener
    this.input = new Input(inputLimits, onLineEndsChanged)
    this.#output = new LineReader(maxLineOctets)
    const started = start(options)
    this.#child = started.child
    this.pid = started.child?.pid
    this.#stop = new ProcessStop({ leader: this.pid, graceMs: stopGraceMs, clock, gone: () => this.#allGone() })
    if (started.child === undefined) process.nextTick(() => this.#notStarted(started.error))
    else this.#listen(started.child)
  }

  /** Its standard input is closed behind what waits for it; it and all that it started have a while to end by themselves. */
  stop(): void {
    if (this.#gone || this.pid === undefined) return
    this.input.end()
    this.#stop.begin()
  }

  /** At once, and all that it started. */
  kill(): void {
    if (this.#gone || this.pid === undefined) return
    this.input.close()
    this.#stop.kill()
  }

  pause(): void {
    this.#paused = true
    this.#child?.stdout?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#tell()
    if (!this.#paused) this.#child?.stdout?.resume()
  }

  #listen(child: ChildProcess): void {
    const { clock, logger } = this.#options
    const { stdin, stdout, stderr } = child
    child.on('error', (error) => {
      // Of a process that runs it only says that a signal could not be sent.
      if (this.pid === undefined) this.#notStarted(error)
    })
    stdin?.on('error', () => this.#inputBroken())
    stdout?.on('error', () => {})
    if (stderr !== null) logStderr(stderr, logger, clock)
    if (this.pid === undefined || stdin === null || stdout === null) return
    stdout.on('data', (chunk: Buffer) => {
      this.#output.push(chunk)
      this.#tell()
    })
    stdout.on('end', () => this.#outputClosed())
    child.on('exit', (code, signal) => this.#exited(code, signal))
    child.on('close', () => this.#outputOver())
    this.input.connect(stdin)
  }

  #tell(): void {
    // Whoever is told something may resume or pause this.
    if (this.#telling) return
    this.#telling = true
    while (!this.#paused) {
      const line = this.#output.next()
      if (line === undefined) break
      this.#listener.line(line)
    }
    this.#telling = false
    if (this.#paused) return
    if (this.#outputEnded && this.#end !== undefined) this.#finish(this.#end)
    else this.#listener.arriving(this.#output.heldOctets)
  }

  #notStarted(error: unknown): void {
    const { cwd } = this.#options
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN'
    const folderMissing = cwd !== undefined && !existsSync(cwd)
    this.input.close()
    this.#finish({ how: 'notStarted', error: code, folderMissing })
    this.#allGone()
  }

  /** It reads no more. What it still has to say is heard; then it has to go, as nobody can ask it anything. */
  #inputBroken(): void {
    this.input.close()
    this.#stop.begin()
  }

  /** It may run on, but no answer can come any more. */
  #outputClosed(): void {
    this.#outputEnded = true
    this.#output.end()
    this.stop()
    // Mostly because it exits, which says more.
    this.#exitFollows = this.#options.clock.setTimeout(() => {
      this.#end ??= { how: 'closedOutput' }
      this.#tell()
    }, EXIT_FOLLOWS_MS)
    this.#tell()
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#end ??= signal === null ? { how: 'exit', exitCode: code ?? 0 } : { how: 'signal', signal }
    this.input.close()
    this.#stop.leaderExited()
    // Its last words may still stand in the pipe: 'close' follows them.
    this.#tell()
  }

  /** All pipes are closed, and all that was in them has been read. */
  #outputOver(): void {
    this.#outputEnded = true
    this.#output.end()
    this.#tell()
  }

  #finish(end: ProcessEnd): void {
    if (this.#over) return
    this.#over = true
    this.#options.clock.clearTimeout(this.#exitFollows)
    this.#listener.over(end)
    this.#tellGone()
  }

  #allGone(): void {
    this.#gone = true
    if (this.#over) this.#tellGone()
    else this.#awaitOutput()
  }

  /** Something that left the group may hold the pipes open for ever. */
  #awaitOutput(): void {
    this.#options.clock.setTimeout(() => {
      if (this.#over) return
      // It is read to its end, however slowly.
      if (this.#paused) this.#awaitOutput()
      else {
        this.#letGo()
        this.#outputOver()
      }
    }, LAST_WORDS_MS)
  }

  #letGo(): void {
    const child = this.#child
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy()
  }

  #tellGone(): void {
    if (!this.#gone || !this.#over) return
    this.#letGo()
    this.#listener.gone()
  }
}

type Started =
  | { readonly child: ChildProcess; readonly error?: undefined }
  | { readonly child: undefined; readonly error: unknown }

/** Most failures are told by an event, some are thrown. */
function start({ command, args, env, cwd }: ServerProcessOptions): Started {
  try {
    const child = spawn(command, [...args], {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: OWN_GROUP,
      windowsHide: true,
    })
    return { child }
  } catch (error) {
    return { child: undefined, error }
  }
}

const EXIT_FOLLOWS_MS = 500
const LAST_WORDS_MS = 1_000
