import { formatProblem, type Problem, type Resources } from '@causeway/mesh-api'
import type { ListenAddress, RunningRelay } from '@causeway/relay'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { describeServed, servedBy } from './mcp-json/served.ts'
import type { Plan } from './plan.ts'
import type { StartFailure } from './start-all.ts'

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

  constructor(host: CliHost, json: boolean) {
    this.#host = host
    this.#json = json
  }

  problems(problems: readonly Problem[]): void {
    for (const problem of problems) this.#host.writeError(`${formatProblem(problem)}\n`)
    if (this.#json) this.#line({ event: 'refused', problems })
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
    for (const { relayName, error } of failures) {
      const text =
        servers === undefined
          ? `MeshRelay/${relayName}: ${error.fieldPath}: ${error.message}${wayOut(error)}`
          : `causeway: ${error.message}${error.code === 'LISTEN' ? OTHER_PORT : ''}`
      this.#host.writeError(`${text}\n`)
    }
    if (this.#json) {
      const rows = failures.map(({ relayName, error: { code, fieldPath, message } }) => ({
        relay: relayName,
        code,
        fieldPath,
        message,
      }))
      this.#line({ event: 'not-started', failures: rows })
    }
    return failures.every(({ error }) => error.code !== 'LISTEN') ? EXIT.badInput : EXIT.failed
  }

  started(relays: readonly RunningRelay[], { resources, servers }: Plan): void {
    for (const { name, peerHandle, addresses } of relays) {
      const served = servers && addresses.mcp && servedBy(servers, `http://${authority(addresses.mcp)}`)
      if (this.#json) this.#line({ event: 'started', relay: name, peerHandle, addresses, ...served })
      else if (served !== undefined) this.#host.writeOut(describeServed(served))
      else this.#host.writeOut(describeRelay({ name, peerHandle, addresses }, pathsOf(name, resources)))
    }
    if (this.#json) this.#line({ event: 'ready' })
    else this.#host.writeOut('ready; Ctrl-C stops\n')
  }

  stopped(): void {
    if (this.#json) this.#line({ event: 'stopped' })
    else this.#host.writeOut('stopped\n')
  }

  #line(value: object): void {
    this.#host.writeOut(`${JSON.stringify(value)}\n`)
  }
}

/** What to do about a listener of a configuration file that cannot be had. */
function wayOut({ code, fieldPath, message }: StartFailure['error']): string {
  if (code !== 'LISTEN') return ''
  const reason = Object.keys(WAYS_OUT).find((one) => message.includes(one))
  return reason === undefined ? '' : `; ${WAYS_OUT[reason]?.(fieldPath)}`
}

const WAYS_OUT: Readonly<Record<string, (listener: string) => string>> = {
  EADDRINUSE: (listener) =>
    `end what listens there, which may be another causeway, or set ${listener}.port to another port (0: any that is free)`,
  EADDRNOTAVAIL: (listener) => `this machine has no such address: set ${listener}.host to one that it has`,
  EACCES: (listener) => `ports below 1024 are for privileged users: set ${listener}.port to a higher one`,
}

function describeRelay(
  { name, peerHandle, addresses }: Pick<RunningRelay, 'name' | 'peerHandle' | 'addresses'>,
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
