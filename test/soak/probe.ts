/**
 * Loaded into a relay process before anything else: on SIGUSR2 it collects garbage and appends one JSON line to
 * PID.probe in the folder that SOAK_PROBE_FOLDER names, of what is left.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

export interface Probe {
  readonly heapOctets: number
  readonly externalOctets: number
  /** Active handles of the event loop by kind: sockets, timers, child processes. */
  readonly resources: Readonly<Record<string, number>>
}

const file = join(process.env.SOAK_PROBE_FOLDER ?? '.', `${process.pid}.probe`)

process.on('SIGUSR2', () => void report())

async function report(): Promise<void> {
  // Finalizers of what the first round found run in between.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await setTimeout(20)
  }
  const { heapUsed, external } = process.memoryUsage()
  appendFileSync(file, `${JSON.stringify({ heapOctets: heapUsed, externalOctets: external, resources: counted() })}\n`)
}

function counted(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
