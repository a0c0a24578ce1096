import { readFileSync } from 'node:fs'

/** A process that cannot be taken for another one: its id, and when it started (clock ticks since boot). */
export interface ProcessIdentity {
  readonly pid: number
  readonly startTicks: string
}

/** Undefined when no such process runs. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTicks = startTicksOf(pid)
  return startTicks === undefined ? undefined : { pid, startTicks }
}

export function isAlive(one: ProcessIdentity): boolean {
  return startTicksOf(one.pid) === one.startTicks
}

/** Sends `signal` unless the process is gone; a later process with the same id is never meant. */
export function signalProcess(one: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(one)) return
  try {
    process.kill(one.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and parentheses. A zombie counts as gone. */
function startTicksOf(pid: number): string | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? undefined : fields[19]
}
