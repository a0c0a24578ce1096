import type { Standalone } from '@causeway/control-plane'
import type { Refusal } from '@causeway/relay'
import type { Logger } from '@causeway/telemetry'
import type { CliHost, RelayModule } from '../host.ts'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'
import { RunningRelay } from './running-relay.ts'
import type { StartFailure } from './start-failure.ts'

export interface MeshHereOptions {
  readonly standalone: Standalone
  readonly module: RelayModule
  readonly environment: CliHost['environment']
  /** Of the relays, and of how they get their configuration. */
  readonly logger: Logger
  readonly controlLogger: Logger
  readonly report: Report
}

/** The relays of this process: those that the plan names. */
export class MeshHere {
  readonly #options: MeshHereOptions
  readonly #relays = new Map<string, RunningRelay>()
  /** Those that have not ended, also while they leave. */
  readonly #alive = new Set<RunningRelay>()
  #plan: Plan | undefined
  #changing: Promise<unknown> = Promise.resolve()
  #isStopping = false

  constructor(options: MeshHereOptions) {
    this.#options = options
  }

  get relays(): readonly RunningRelay[] {
    return [...this.#relays.values()]
  }

  /**
   * Starts the relays one after the other. If any of them cannot have all of its configuration, tries the rest, stops all
   * and answers every failure; otherwise none.
   */
  async start(plan: Plan): Promise<readonly StartFailure[]> {
    this.#plan = plan
    const failures: StartFailure[] = []
    for (const relayName of plan.relayNames) failures.push(...(await this.#start(relayName)))
    if (failures.length > 0) await this.stop()
    return failures
  }

  /** Another plan: relays that it does not name end, those that are new begin. Never rejects. */
  follow(plan: Plan): Promise<void> {
    const changed = this.#changing.then(() => this.#follow(plan))
    this.#changing = changed
    return changed
  }

  /** Each up to its own limit, all at the same time. */
  async drain(): Promise<void> {
    this.#isStopping = true
    await this.#changing
    await Promise.all(this.#leaving().map((relay) => this.#end(relay, 'drain')))
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#leaving().map((relay) => this.#end(relay, 'stop')))
  }

  /** For the end of the process; only what is synchronous is done. */
  killServers(): void {
    for (const relay of this.#alive) relay.killServers()
  }

  /** All of them; whoever asks next gets none. */
  #leaving(): readonly RunningRelay[] {
    const relays = this.relays
    this.#relays.clear()
    return relays
  }

  async #end(relay: RunningRelay, how: 'drain' | 'stop'): Promise<void> {
    await relay[how]()
    this.#alive.delete(relay)
  }

  async #follow(plan: Plan): Promise<void> {
    const { report, logger } = this.#options
    if (this.#isStopping) return
    this.#plan = plan
    try {
      for (const [name, relay] of [...this.#relays]) {
        if (plan.relayNames.includes(name)) continue
        this.#relays.delete(name)
        await this.#end(relay, 'drain')
        report.ended(name)
      }
      for (const name of plan.relayNames) {
        if (this.#relays.has(name) || this.#isStopping) continue
        for (const { refusal } of await this.#start(name)) report.notInForce([refusal])
        const relay = this.#relays.get(name)
        if (relay !== undefined) report.listening(relay, plan)
      }
    } catch (error) {
      logger.error({ err: error }, 'the relays of the changed configuration could not be started')
    }
  }

  async #start(name: string): Promise<readonly StartFailure[]> {
    const { standalone, module, environment, logger, controlLogger } = this.#options
    const relay = new RunningRelay({
      name,
      module,
      serve: standalone.plane.serve,
      environment,
      logger: logger.child({ relay: name }),
      controlLogger: controlLogger.child({ relay: name }),
      onChanged: (changed, refusals) => this.#changed(changed, refusals),
    })
    this.#relays.set(name, relay)
    this.#alive.add(relay)
    const refusals = await relay.start()
    return causesOf(refusals).map((refusal) => ({ relayName: name, refusal }))
  }

  #changed(relay: RunningRelay, refusals: readonly Refusal[]): void {
    const { report } = this.#options
    if (this.#isStopping || this.#plan === undefined) return
    report.notInForce(causesOf(refusals))
    report.changed(relay, this.#plan)
  }
}

/** What is refused only because of another refusal needs no telling. */
function causesOf(refusals: readonly Refusal[]): readonly Refusal[] {
  const causes = refusals.filter(({ reason }) => reason !== 'DependencyRefused')
  return causes.length > 0 ? causes : refusals
}
