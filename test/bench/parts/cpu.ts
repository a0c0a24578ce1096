import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** User and system time of some processes so far, in milliseconds (Linux; resolution 10 ms each). */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0)
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}
