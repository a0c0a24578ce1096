import type { FilesSource, Standalone } from '@causeway/control-plane'
import { ConfigurationError, formatProblem, type Problem, type Resources } from '@causeway/mesh-api'
import { systemClock } from '@causeway/npamp/transports'
import { type Admin, createLogger, createMetrics, type Logger, type LogLevel, startAdmin } from '@causeway/telemetry'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { AdminAddress } from './flags.ts'
import { type Input, inputOf } from './input.ts'
import { MeshHere } from './mesh-here.ts'
import { type Plan, planOf, type UpSource } from './plan.ts'
import { Report } from './report.ts'
import { warnOfMissing } from './warn-of-missing.ts'
import { warnOfUnaccepted } from './warn-of-unaccepted.ts'

export interface UpOptions {
  readonly source: UpSource
  /** Where the state of the mesh is answered; undefined: nowhere. */
  readonly admin: AdminAddress | undefined
  readonly logLevel: LogLevel
  readonly json: boolean
}

/**
 * `causeway up`: validates everything, starts a control plane and the relays, puts changes of the files into force, and
 * runs until a signal: then it drains and ends with 0. A second signal ends the process at once, and kills the servers
 * that are processes of its relays.
 */
export async function up(options: UpOptions, host: CliHost): Promise<ExitCode> {
  const report = new Report(host, options.json)
  const input = inputOf(options.source, host, report)
  const opened = new OpenedFiles(input, host, report)
  const files = await opened.open()
  if (files === undefined) return EXIT.badInput
  try {
    return await run(options, host, report, opened, files)
  } finally {
    await files.close()
  }
}

async function run(
  { admin, logLevel }: UpOptions,
  host: CliHost,
  report: Report,
  opened: OpenedFiles,
  files: FilesSource,
): Promise<ExitCode> {
  const plan = opened.planOf(files.resources)
  if ('refusal' in plan) return report.refused(plan.refusal)
  await opened.warn(plan)

  // From here on: a signal that comes while relays are starting must not be lost.
  const stop = stopRequested(host)
  const destination = { write: (line: string) => host.writeError(line) }
  const logger = createLogger({ level: logLevel, destination })
  // That a control plane of the same process can be reached is no news.
  const controlLogger = createLogger({ level: logLevel === 'info' ? 'warn' : logLevel, destination })
  const standalone = await standaloneOf(files, controlLogger)
  const module = await host.loadRelay()
  const { environment } = host
  const mesh = new MeshHere({ standalone, module, environment, logger, controlLogger, report })
  host.onExit(() => mesh.killServers())
  let listening: Admin | undefined
  try {
    if (admin !== undefined) listening = await startStatus(admin, standalone, opened)
    const failures = await mesh.start(plan)
    if (failures.length > 0) return report.notStarted(failures, plan)
    opened.onPlan = (next) => void mesh.follow(next)
    report.started(mesh.relays, plan, listening?.address)
    await stop
    logger.info({ relays: plan.relayNames }, 'stopping: draining open exchanges')
    await mesh.drain()
    report.stopped()
    return EXIT.ok
  } finally {
    await mesh.stop()
    await listening?.close()
    await standalone.close()
  }
}

/** The files, their relays and their warnings, now and after each change. */
class OpenedFiles {
  /** A change has been taken that the relays have to follow. */
  onPlan: (plan: Plan) => void = () => {}
  readonly #input: Input
  readonly #host: CliHost
  readonly #report: Report
  #refused: readonly Problem[] = []

  constructor(input: Input, host: CliHost, report: Report) {
    this.#input = input
    this.#host = host
    this.#report = report
  }

  /** What is wrong with the files since they changed last; empty: they are in force. */
  get refused(): readonly Problem[] {
    return this.#refused
  }

  /** Undefined: what is wrong has been told. */
  async open(): Promise<FilesSource | undefined> {
    const { openFilesSource } = await import('@causeway/control-plane')
    try {
      return await openFilesSource({
        paths: this.#input.paths,
        load: (files) => this.#input.load(files),
        stateFolder: undefined,
        clock: clock(),
        onRefused: (problems) => {
          this.#refused = problems
          this.#report.problemsOfChange(problems)
        },
        onTaken: (resources) => {
          this.#refused = []
          void this.#taken(resources)
        },
      })
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      this.#report.problems(error.problems)
      return undefined
    }
  }

  planOf(resources: Resources): Plan | { readonly refusal: string } {
    return planOf(resources, this.#input.relay, this.#input.servers)
  }

  async warn(plan: Plan): Promise<void> {
    if (plan.servers !== undefined) return
    await warnOfMissing(plan, this.#host.environment, this.#report)
    warnOfUnaccepted(plan, this.#report)
  }

  async #taken(resources: Resources): Promise<void> {
    const plan = this.planOf(resources)
    if ('refusal' in plan) {
      this.#report.refused(plan.refusal)
      return
    }
    await this.warn(plan)
    this.#report.taken()
    this.onPlan(plan)
  }
}

async function standaloneOf(files: FilesSource, logger: Logger): Promise<Standalone> {
  const { Standalone } = await import('@causeway/control-plane')
  const metrics = createMetrics()
  return new Standalone({ files, clock: clock(), random: Math.random, logger, metrics })
}

/** `/status` also says what is wrong with the files as they are now, where that keeps them from being in force. */
function startStatus(address: AdminAddress, standalone: Standalone, opened: OpenedFiles): Promise<Admin> {
  const status = () => ({ ...standalone.status(), refused: opened.refused.map(formatProblem) })
  return startAdmin({
    ...address,
    metrics: standalone.metrics,
    ready: () => standalone.plane.ready(),
    documents: new Map([...standalone.documents, ['/status', status]]),
  })
}

function clock() {
  return { ...systemClock(), wallNow: Date.now }
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
