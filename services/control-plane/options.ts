import { parseArgs } from 'node:util'
import { DEFAULT_TRUST_DOMAIN, parseDuration } from '@causeway/mesh-api'
import { LOG_LEVELS, type LogLevel } from '@causeway/telemetry'

export interface Address {
  readonly host: string
  readonly port: number
}

/** Where objects come from. */
export type SourceSettings =
  | {
      readonly place: 'cluster'
      readonly namespaces: '*' | readonly string[]
      /** Undefined: the service account of the pod. */
      readonly kubeconfig: string | undefined
      /** How long a watch may say nothing before it is given up. */
      readonly watchSilenceMs: number
    }
  | { readonly place: 'files'; readonly paths: readonly string[]; readonly stateFolder: string | undefined }

/** What a control plane is told at its start. */
export interface Settings {
  /** Its own. */
  readonly namespace: string
  readonly installation: string
  readonly source: SourceSettings
  readonly trustDomain: string
  /** A folder with tls.crt, tls.key and ca.crt. */
  readonly tlsFolder: string
  readonly listen: Address
  readonly statusListen: Address
  /** Where the other replicas find the status listener of this one. */
  readonly advertised: string
  readonly admin: Address
  readonly logLevel: LogLevel
}

/** A flag that is missing or wrong; the message is for the person who started it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Flag {
  readonly help: string
  readonly value?: string
}

/** Every flag can come from an environment variable: `--trust-domain` from CAUSEWAY_TRUST_DOMAIN. */
const FLAGS = {
  namespace: { help: 'the namespace that it runs in' },
  installation: { help: 'the name by which objects are accepted; default: the namespace' },
  'watch-namespaces': { help: 'namespaces with commas between them, or *; default: the namespace' },
  kubeconfig: { help: 'a file; default: the service account of the pod' },
  'watch-silence': {
    help: 'how long a watch may say nothing, bookmarks included, before it is given up',
    value: '150s',
  },
  files: { help: 'instead of a cluster: configuration files or folders, with commas between them' },
  state: { help: 'with --files: a folder in which it keeps how often they have changed' },
  'trust-domain': { help: 'of the names in certificates', value: DEFAULT_TRUST_DOMAIN },
  tls: { help: 'a folder with tls.crt, tls.key and ca.crt', value: '/etc/causeway/tls' },
  listen: { help: 'host:port for relays', value: '0.0.0.0:8443' },
  'status-listen': { help: 'host:port for the other replicas', value: '0.0.0.0:8444' },
  advertise: { help: 'host:port at which the other replicas find it; default: POD_IP and the port of --status-listen' },
  admin: { help: 'host:port of health and metrics', value: '127.0.0.1:9090' },
  'log-level': { help: LOG_LEVELS.join(', '), value: 'info' },
} as const satisfies Readonly<Record<string, Flag>>

type FlagName = keyof typeof FLAGS
type Environment = Readonly<Record<string, string | undefined>>

/** Reads flags and environment. Throws UsageError. */
export function readSettings(argv: readonly string[], environment: Environment): Settings {
  const given = parse(argv)
  const read = (name: FlagName): string | undefined => {
    const flag: Flag = FLAGS[name]
    const value = given[name] ?? environment[`CAUSEWAY_${name.toUpperCase().replaceAll('-', '_')}`] ?? flag.value
    return value === '' ? undefined : value
  }
  const need = (name: FlagName): string => {
    const value = read(name)
    if (value === undefined) throw new UsageError(`--${name} is needed: ${FLAGS[name].help}`)
    return value
  }
  const source = sourceOf(read)
  const namespace = source.place === 'cluster' ? need('namespace') : (read('namespace') ?? 'default')
  const statusListen = address('status-listen', need('status-listen'))
  return {
    namespace,
    installation: read('installation') ?? namespace,
    source:
      source.place === 'files' ? source : { ...source, namespaces: namespaces(read('watch-namespaces') ?? namespace) },
    trustDomain: need('trust-domain'),
    tlsFolder: need('tls'),
    listen: address('listen', need('listen')),
    statusListen,
    advertised: read('advertise') ?? joined(environment.POD_IP ?? statusListen.host, statusListen.port),
    admin: address('admin', need('admin')),
    logLevel: level(need('log-level')),
  }
}

/** One line for each flag. */
export function usage(): string {
  const lines = Object.entries(FLAGS).map(([name, { help }]) => `  --${name.padEnd(18)} ${help}`)
  return ['causeway control plane', ...lines].join('\n')
}

function sourceOf(read: (name: FlagName) => string | undefined): SourceSettings {
  const files = read('files')
  const [kubeconfig, stateFolder] = [read('kubeconfig'), read('state')]
  if (files === undefined) {
    if (stateFolder !== undefined) throw new UsageError('--state belongs to --files')
    const watchSilenceMs = duration('watch-silence', read('watch-silence') ?? '')
    return { place: 'cluster', namespaces: [], kubeconfig, watchSilenceMs }
  }
  if (kubeconfig !== undefined) throw new UsageError('either --files or --kubeconfig')
  return { place: 'files', paths: list(files), stateFolder }
}

function parse(argv: readonly string[]): Partial<Record<FlagName, string>> {
  const options = Object.fromEntries(Object.keys(FLAGS).map((name) => [name, { type: 'string' } as const]))
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function namespaces(text: string): '*' | readonly string[] {
  if (text === '*') return '*'
  const names = list(text)
  if (names.length === 0) throw new UsageError('--watch-namespaces names no namespace')
  return names
}

function list(text: string): readonly string[] {
  return [...new Set(text.split(',').filter((one) => one !== ''))]
}

function address(flag: FlagName, text: string): Address {
  const colon = text.lastIndexOf(':')
  const port = Number(text.slice(colon + 1))
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  if (colon <= 0 || !/^[0-9]{1,5}$/.test(text.slice(colon + 1)) || port > 65_535) {
    throw new UsageError(`--${flag} must be host:port`)
  }
  return { host, port }
}

function duration(flag: FlagName, text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new UsageError(`--${flag} must be a duration such as 30s or 10m`)
  return ms
}

function joined(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function level(text: string): LogLevel {
  const found = LOG_LEVELS.find((one) => one === text)
  if (found === undefined) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}`)
  return found
}
