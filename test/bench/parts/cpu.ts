import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** User and system time of some processes so far, in milliseconds (Linux; resolution 10 ms each). */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0)
}

/**
 * The same of this thread: how busy the machine is with others does not show in it. Some systems count in ticks of several
 * milliseconds, so what is measured must take a tenth of a second or so.
 */
function ownCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** `ownCpuMs` that a piece of work took. */
export function ownCpuMsOf(work: () => void): number {
  const before = ownCpuMs()
  work()
  return ownCpuMs() - before
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}
