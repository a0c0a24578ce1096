import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A process of the bench: says one JSON line when it is ready, ends when its standard input closes. */
export interface BenchProcess {
  readonly pid: number
  /** What it said when ready. */
  readonly ready: Record<string, unknown>
  stop(): Promise<void>
}

export async function startProcess(
  file: URL,
  args: readonly string[],
  execArgv: readonly string[] = [],
): Promise<BenchProcess> {
  const child = spawn(process.execPath, [...execArgv, file.pathname, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ready = JSON.parse(await firstLine(child)) as Record<string, unknown>
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    pid: child.pid ?? 0,
    ready,
    stop: () => {
      child.stdin?.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      return ended.finally(() => clearTimeout(timer))
    },
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('the process has no standard output'))
    const lines = createInterface({ input: child.stdout })
    lines.once('line', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the process ended with code ${code} before it was ready`)))
  })
}

const TICKS_PER_SECOND = 100

/** User and system time of a process so far, in milliseconds (Linux, resolution 10 ms). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}
