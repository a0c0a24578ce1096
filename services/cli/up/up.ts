import { ConfigurationError, loadResources, type Resources, readSourceFiles } from '@causeway/mesh-api'
import type { RunningRelay } from '@causeway/relay'
import { createLogger, type LogLevel } from '@causeway/telemetry'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { chooseRelays } from './choose-relays.ts'
import { Report } from './report.ts'
import { startAll } from './start-all.ts'

export interface UpOptions {
  readonly files: readonly string[]
  readonly relay?: string
  readonly logLevel: LogLevel
  readonly json: boolean
}

/**
 * `causeway up`: validates everything, starts the relays, and runs until a signal: then it drains and ends with 0. A
 * second signal ends the process at once.
 */
export async function up(options: UpOptions, host: CliHost): Promise<ExitCode> {
  const report = new Report(host, options.json)
  const resources = await loadAll(options.files, report)
  if (resources === undefined) return EXIT.badInput
  const choice = chooseRelays(resources, options.relay)
  if ('refusal' in choice) return report.refused(choice.refusal)

  // From here on: a signal that comes while relays are starting must not be lost.
  const stop = stopRequested(host)
  const logger = createLogger({ level: options.logLevel, destination: { write: (line) => host.writeError(line) } })
  const started = await startAll({ ...choice, resources, logger }, await host.loadRelay())
  if ('failures' in started) return report.notStarted(started.failures)

  report.started(started.relays, resources)
  await stop
  logger.info({ relays: started.relays.map(({ name }) => name) }, 'stopping: draining open exchanges')
  await drainAll(started.relays)
  report.stopped()
  return EXIT.ok
}

async function loadAll(files: readonly string[], report: Report): Promise<Resources | undefined> {
  try {
    return loadResources(await readSourceFiles(files))
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    report.problems(error.problems)
    return undefined
  }
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
