import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../tools/step.ts'
import { identityOf, signalProcess } from '../processes/identity.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import type { Program } from './program.ts'

/** The process of one container, from its start to its end. */
export interface PodProcess {
  readonly startedAtMs: number
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string>
  signal(signal: NodeJS.Signals): void
}

/** Half of a start is stripping types and compiling. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/causeway')

/** It dies with the thread that started it. `log` is told each piece of its output. */
export function startPodProcess(
  folder: RunFolder,
  name: string,
  { script, args, env }: Program,
  log: (text: string) => void,
): PodProcess {
  const { PATH = '' } = process.env
  const child = spawn('setpriv', ['--pdeathsig=KILL', process.execPath, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, HOSTNAME: name, ...env },
  })
  const file = folder.file('logs', `${name}.log`)
  const keep = (piece: Buffer) => {
    appendFileSync(file, piece)
    log(piece.toString())
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const identity = child.pid === undefined ? undefined : identityOf(child.pid)
  if (identity !== undefined) folder.remember(identity)
  return {
    startedAtMs: performance.now(),
    ended: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string),
    signal: (signal) => {
      if (identity !== undefined) signalProcess(identity, signal)
    },
  }
}
