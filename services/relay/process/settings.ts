import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseDuration } from '@causeway/mesh-api'
import type { TlsFiles } from '@causeway/rpc'
import { LOG_LEVELS, type LogLevel } from '@causeway/telemetry'

/** What a relay process is told at its start; all else is configuration. */
export interface Settings {
  /** Of the MeshRelay. */
  readonly namespace: string
  readonly name: string
  readonly ordinal: number
  /** `host:port`, in no order. */
  readonly controlPlanes: readonly string[]
  /** What their certificates must be for; undefined: the host that was dialled. */
  readonly serverName: string | undefined
  /** The folder that mounted files are under. */
  readonly mountsFolder: string
  /** What outlives the process. */
  readonly stateFolder: string
  readonly admin: { readonly host: string; readonly port: number }
  /** The longest that a connection to a peer made with an earlier key or address is kept. */
  readonly retireAfterMs: number
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

/** Every flag can come from an environment variable: `--control-plane` from CAUSEWAY_CONTROL_PLANE. */
const FLAGS = {
  namespace: { help: 'of the MeshRelay' },
  name: { help: 'of the MeshRelay' },
  ordinal: { help: 'which of its instances this is; default: what the name of the host ends in, or 0' },
  'control-plane': { help: 'host:port, several with commas between them' },
  'control-plane-name': { help: "what the control plane's certificate must be for; default: the host that is dialled" },
  mounts: { help: 'the folder that mounted files are under', value: '/etc/causeway' },
  state: { help: 'the folder for what outlives the process', value: '/var/lib/causeway' },
  admin: { help: 'host:port of health and metrics', value: '127.0.0.1:9090' },
  'retire-after': {
    help: 'how long sessions may stay on a connection to a peer that was made with an earlier key or address',
    value: '1h',
  },
  'log-level': { help: LOG_LEVELS.join(', '), value: 'info' },
} as const satisfies Readonly<Record<string, Flag>>

type FlagName = keyof typeof FLAGS
type Environment = Readonly<Record<string, string | undefined>>

/** As the API server allows. */
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const MAX_ORDINAL = 1_000_000

/** Reads flags and environment. `hostName`: of a pod in a StatefulSet it ends in its ordinal. Throws UsageError. */
export function readSettings(argv: readonly string[], environment: Environment, hostName: string): Settings {
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
  return {
    namespace: matching('namespace', need('namespace'), NAMESPACE),
    name: matching('name', need('name'), NAME),
    ordinal: ordinal(read('ordinal') ?? /-([0-9]+)$/.exec(hostName)?.[1] ?? '0'),
    controlPlanes: controlPlanes(need('control-plane')),
    serverName: read('control-plane-name'),
    mountsFolder: need('mounts'),
    stateFolder: need('state'),
    admin: address('admin', need('admin')),
    retireAfterMs: duration('retire-after', need('retire-after')),
    logLevel: level(need('log-level')),
  }
}

/** One line for each flag. */
export function usage(): string {
  const lines = Object.entries(FLAGS).map(([name, { help }]) => `  --${name.padEnd(18)} ${help}`)
  return ['causeway relay', ...lines].join('\n')
}

/** Its certificate towards control planes, and the authorities that theirs come from (CONTROL section 2). */
export function tlsFiles({ mountsFolder }: Pick<Settings, 'mountsFolder'>): TlsFiles {
  return {
    certificateChain: join(mountsFolder, 'control-plane/tls.crt'),
    key: join(mountsFolder, 'control-plane/tls.key'),
    authorities: join(mountsFolder, 'trust/ca.crt'),
  }
}

function parse(argv: readonly string[]): Partial<Record<FlagName, string>> {
  const options = Object.fromEntries(Object.keys(FLAGS).map((name) => [name, { type: 'string' } as const]))
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function matching(flag: FlagName, text: string, pattern: RegExp): string {
  if (pattern.test(text)) return text
  throw new UsageError(`--${flag} is not a ${flag} of Kubernetes, as in ${flag === 'name' ? 'edge' : 'default'}`)
}

function ordinal(text: string): number {
  const value = Number(text)
  if (/^[0-9]{1,7}$/.test(text) && value <= MAX_ORDINAL) return value
  throw new UsageError(`--ordinal must be a number from 0 to ${MAX_ORDINAL}`)
}

function controlPlanes(text: string): readonly string[] {
  const addresses = [...new Set(text.split(',').map((one) => one.trim()))]
  for (const one of addresses) if (address('control-plane', one).port === 0) throw hostAndPort('control-plane')
  return addresses
}

function address(flag: FlagName, text: string): { readonly host: string; readonly port: number } {
  const { host, port } = /^(?<host>\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):(?<port>[0-9]{1,5})$/.exec(text)?.groups ?? {}
  if (host === undefined || Number(port) > 65_535) throw hostAndPort(flag)
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

function hostAndPort(flag: FlagName): UsageError {
  return new UsageError(`--${flag} must be host:port`)
}

function duration(flag: FlagName, text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new UsageError(`--${flag} must be a duration such as 30s or 10m`)
  return ms
}

function level(text: string): LogLevel {
  const found = LOG_LEVELS.find((one) => one === text)
  if (found === undefined) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}`)
  return found
}
