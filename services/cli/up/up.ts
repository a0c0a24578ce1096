import type { RunningRelay } from '@causeway/relay'
import { createLogger, type LogLevel } from '@causeway/telemetry'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { UpSource } from './plan.ts'
import { planOf } from './plan-of.ts'
import { Report } from './report.ts'
import { startAll } from './start-all.ts'

export interface UpOptions {
  readonly source: UpSource
  readonly logLevel: LogLevel
  readonly json: boolean
}

/**
 * `causeway up`: validates everything, starts the relays, and runs until a signal: then it drains and ends with 0. A
 * second signal ends the process at once, and kills the servers that are processes of its relays.
 */
export async function up({ source, logLevel, json }: UpOptions, host: CliHost): Promise<ExitCode> {
  const report = new Report(host, json)
  const plan = await planOf(source, host, report)
  if (typeof plan === 'number') return plan

  // From here on: a signal that comes while relays are starting must not be lost.
  const stop = stopRequested(host)
  const logger = createLogger({ level: logLevel, destination: { write: (line) => host.writeError(line) } })
  const { environment } = host
  const running: RunningRelay[] = []
  host.onExit(() => {
    for (const relay of running) relay.killServers()
  })
  const onStarted = (relay: RunningRelay): void => void running.push(relay)
  const started = await startAll({ ...plan, environment, logger, onStarted }, await host.loadRelay())
  if ('failures' in started) return report.notStarted(started.failures, plan)

  report.started(started.relays, plan)
  await stop
  logger.info({ relays: started.relays.map(({ name }) => name) }, 'stopping: draining open exchanges')
  await drainAll(started.relays)
  report.stopped()
  return EXIT.ok
}

/** Settles with the first signal; the second one ends the process. */
function stopRequested(host: CliHost): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    host.onStopSignal(() => {
      if (asked) host.exitNow()
      asked = true
      resolve()
    })
  })
}

/** Each up to its own limit, all at the same time. */
async function drainAll(relays: readonly RunningRelay[]): Promise<void> {
  await Promise.all(relays.map((relay) => relay.drain()))
}
