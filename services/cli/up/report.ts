import { formatProblem, type Problem, type Resources } from '@causeway/mesh-api'
import type { ListenAddress, Refusal, RelayAddresses } from '@causeway/relay'
import { objectKindOf } from '@causeway/rpc'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { describeServed, servedBy } from './mcp-json/served.ts'
import type { Plan } from './plan.ts'
import type { RunningRelay } from './running-relay.ts'
import type { StartFailure } from './start-failure.ts'

/** About an object of the configuration, whose place in its file is not known any more. */
type ObjectWarning = Required<Pick<Problem, 'kind' | 'name' | 'fieldPath' | 'message'>>

function formatObjectWarning({ kind, name, fieldPath, message }: ObjectWarning): string {
  return `${kind}/${name}: ${fieldPath}: ${message}`
}

const OTHER_PORT = '; --port takes another one, and --port 0 any that is free'

/** Tells a person, or with JSON lines a program, how it goes. */
export class Report {
  readonly #host: CliHost
  readonly #json: boolean
  /** Relay -> where it listened when that was told last. */
  readonly #addresses = new Map<string, string>()

  constructor(host: CliHost, json: boolean) {
    this.#host = host
    this.#json = json
  }

  problems(problems: readonly Problem[]): void {
    for (const problem of problems) this.#host.writeError(`${formatProblem(problem)}\n`)
    if (this.#json) this.#line({ event: 'refused', problems })
  }

  /** Of files that have changed: what was valid last stays in force. */
  problemsOfChange(problems: readonly Problem[]): void {
    this.problems(problems)
    this.#host.writeError(`causeway: ${KEPT}\n`)
  }

  /** Files that have changed are valid. */
  taken(): void {
    if (this.#json) this.#line({ event: 'taken' })
    else this.#host.writeOut('the configuration has changed\n')
  }

  readonly warning = (warning: Problem | ObjectWarning): void => {
    const text = 'file' in warning ? formatProblem(warning) : formatObjectWarning(warning)
    this.#host.writeError(`warning: ${text}\n`)
    if (this.#json) this.#line({ event: 'warning', ...warning })
  }

  refused(message: string): ExitCode {
    this.#host.writeError(`causeway: ${message}\n`)
    if (this.#json) this.#line({ event: 'refused', message })
    return EXIT.badInput
  }

  notStarted(failures: readonly StartFailure[], { servers }: Plan): ExitCode {
    for (const { refusal } of failures) {
      const text =
        servers === undefined
          ? formatRefusal(refusal)
          : `causeway: ${refusal.message}${refusal.reason === LISTEN_FAILED ? OTHER_PORT : ''}`
      this.#host.writeError(`${text}\n`)
    }
    if (this.#json) {
      const rows = failures.map(({ relayName, refusal }) => ({ relay: relayName, ...rowOf(refusal) }))
      this.#line({ event: 'not-started', failures: rows })
    }
    return failures.every(({ refusal }) => refusal.reason !== LISTEN_FAILED) ? EXIT.badInput : EXIT.failed
  }

  /** `admin`: where the state of the mesh is answered. */
  started(relays: readonly RunningRelay[], plan: Plan, admin: ListenAddress | undefined): void {
    for (const relay of relays) this.listening(relay, plan)
    if (this.#json) this.#line({ event: 'ready', ...(admin === undefined ? {} : { admin }) })
    else {
      if (admin !== undefined) this.#host.writeOut(`status http://${authority(admin)}/status\n`)
      this.#host.writeOut('ready; Ctrl-C stops\n')
    }
  }

  /** A relay has been started. */
  listening({ name, peerHandle, addresses }: RunningRelay, { resources, servers }: Plan): void {
    this.#addresses.set(name, JSON.stringify(addresses))
    const served = servers && addresses.mcp && servedBy(servers, `http://${authority(addresses.mcp)}`)
    if (this.#json) this.#line({ event: 'started', relay: name, peerHandle, addresses, ...served })
    else if (served !== undefined) this.#host.writeOut(describeServed(served))
    else this.#host.writeOut(describeRelay({ name, peerHandle, addresses }, pathsOf(name, resources)))
  }

  /** A change is in force on a relay, all but what is refused. */
  changed(relay: RunningRelay, plan: Plan): void {
    const { name, addresses } = relay
    const isElsewhere = this.#addresses.get(name) !== JSON.stringify(addresses)
    this.#addresses.set(name, JSON.stringify(addresses))
    if (this.#json) this.#line({ event: 'changed', relay: name, addresses })
    else if (isElsewhere || plan.servers !== undefined) this.listening(relay, plan)
    else this.#host.writeOut(`relay ${name} follows the change\n`)
  }

  /** Parts of a change that could not be put into force. */
  notInForce(refusals: readonly Refusal[]): void {
    if (refusals.length === 0) return
    for (const refusal of refusals) this.#host.writeError(`${formatRefusal(refusal)}; ${KEPT}\n`)
    if (this.#json) this.#line({ event: 'not-in-force', refusals: refusals.map(rowOf) })
  }

  /** A relay that the files do not describe any more has stopped. */
  ended(relay: string): void {
    if (this.#json) this.#line({ event: 'ended', relay })
    else this.#host.writeOut(`relay ${relay} stopped\n`)
  }

  stopped(): void {
    if (this.#json) this.#line({ event: 'stopped' })
    else this.#host.writeOut('stopped\n')
  }

  #line(value: object): void {
    this.#host.writeOut(`${JSON.stringify(value)}\n`)
  }
}

const LISTEN_FAILED = 'ListenFailed'
const KEPT = 'what was in force before stays'

function formatRefusal(refusal: Refusal): string {
  const { kind, name, fieldPath, message } = refusal
  const parts = [`${objectKindOf(kind)}/${name}`, fieldPath, `${message}${wayOut(refusal)}`]
  return parts.filter((part) => part !== '').join(': ')
}

function rowOf({ kind, name, reason, fieldPath, message }: Refusal) {
  return { kind: objectKindOf(kind), name, code: reason, fieldPath, message }
}

/** What to do about a listener of a configuration file that cannot be had. */
function wayOut({ reason, fieldPath, message }: Refusal): string {
  if (reason !== LISTEN_FAILED) return ''
  const known = Object.keys(WAYS_OUT).find((one) => message.includes(one))
  return known === undefined ? '' : `; ${WAYS_OUT[known]?.(fieldPath)}`
}

const WAYS_OUT: Readonly<Record<string, (listener: string) => string>> = {
  EADDRINUSE: (listener) =>
    `end what listens there, which may be another causeway, or set ${listener}.port to another port (0: any that is free)`,
  EADDRNOTAVAIL: (listener) => `this machine has no such address: set ${listener}.host to one that it has`,
  EACCES: (listener) => `ports below 1024 are for privileged users: set ${listener}.port to a higher one`,
}

function describeRelay(
  { name, peerHandle, addresses }: { name: string; peerHandle: string; addresses: RelayAddresses },
  paths: readonly string[],
): string {
  const lines = [`relay ${name}`, `  identity ${peerHandle}`]
  if (addresses.npamp !== undefined) lines.push(`  npamp    npamp://${authority(addresses.npamp)}`)
  if (addresses.mcp !== undefined) {
    const base = `http://${authority(addresses.mcp)}`
    for (const path of paths.slice(0, MAX_PATHS)) lines.push(`  mcp      ${base}${path}`)
    if (paths.length > MAX_PATHS) lines.push(`  mcp      and ${paths.length - MAX_PATHS} more routes`)
    if (paths.length === 0) lines.push(`  mcp      ${base}, no routes`)
  }
  if (addresses.admin !== undefined) lines.push(`  admin    http://${authority(addresses.admin)}`)
  return `${lines.join('\n')}\n`
}

const MAX_PATHS = 20

function pathsOf(relayName: string, resources: Resources): readonly string[] {
  return resources.routes
    .filter((route) => route.spec.relayRefs.some(({ name }) => `${route.metadata.namespace}/${name}` === relayName))
    .map((route) => route.spec.path)
}

function authority({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
