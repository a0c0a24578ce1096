import { parseArgs } from 'node:util'
import { DEFAULT_TRUST_DOMAIN, parseDuration } from '@causeway/mesh-api'
import { LOG_LEVELS, type LogLevel } from '@causeway/telemetry'
import { LIVES, type Lives } from './controllers/certificates/lives.ts'
import type { Installation } from './infra/relay-input.ts'

/** What the operator is told at its start. */
export interface Settings {
  readonly installation: Installation
  readonly watched: '*' | readonly string[]
  readonly admin: { readonly host: string; readonly port: number }
  /** Undefined: the service account of the pod. */
  readonly kubeconfig: string | undefined
  readonly lives: Lives
  readonly identitySettleMs: number
  readonly deletionHoldMs: number
  readonly watchSilenceMs: number
  readonly logLevel: LogLevel
}

/** A flag that is missing or wrong; the message is for the person who started it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Flag {
  readonly help: string
  readonly isSwitch?: boolean
  readonly value?: string
}

/** Every flag can come from an environment variable: `--trust-domain` from CAUSEWAY_TRUST_DOMAIN. */
const FLAGS = {
  namespace: { help: 'the namespace that operator and control plane run in' },
  installation: { help: 'the name by which objects are accepted; default: the namespace' },
  'watch-namespaces': { help: 'namespaces with commas between them, or *; default: the namespace' },
  'cluster-wide': { help: 'the rights for * are there', isSwitch: true },
  'trust-domain': { help: 'of the names in certificates', value: DEFAULT_TRUST_DOMAIN },
  'relay-image': { help: 'the image of relays' },
  'image-pull-policy': { help: 'Always, IfNotPresent or Never', value: 'IfNotPresent' },
  admin: { help: 'host:port of health and metrics', value: '127.0.0.1:9090' },
  kubeconfig: { help: 'a file; default: the service account of the pod' },
  'log-level': { help: LOG_LEVELS.join(', '), value: 'info' },
  'deletion-hold': { help: 'how long the deletion of what is in use is held back at most', value: '1h' },
  'authority-life': { help: 'of the certificate authority' },
  'leaf-life': { help: 'of other certificates' },
  'mount-delay': { help: 'how long a changed Secret takes to reach those that mount it' },
  'watch-silence': {
    help: 'how long a watch may say nothing, bookmarks included, before it is given up',
    value: '150s',
  },
  'identity-settle': { help: 'how long the old identity key is kept after the switch, at least', value: '10m' },
} as const satisfies Readonly<Record<string, Flag>>

type FlagName = keyof typeof FLAGS

/** Reads flags and environment. Throws UsageError. */
export function readSettings(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const given = parse(argv)
  const read = (name: FlagName): string | undefined => {
    const flag: Flag = FLAGS[name]
    return given[name] ?? environment[`CAUSEWAY_${name.toUpperCase().replaceAll('-', '_')}`] ?? flag.value
  }
  const need = (name: FlagName): string => {
    const value = read(name)
    if (value === undefined || value === '') throw new UsageError(`--${name} is needed: ${FLAGS[name].help}`)
    return value
  }
  const time = (name: FlagName, otherwise: number): number => {
    const value = read(name)
    if (value === undefined) return otherwise
    const ms = parseDuration(value)
    if (ms === undefined) throw new UsageError(`--${name} must be a duration such as 30s or 24h`)
    return ms
  }
  const namespace = need('namespace')
  return {
    installation: {
      name: read('installation') ?? namespace,
      namespace,
      trustDomain: need('trust-domain'),
      relayImage: need('relay-image'),
      imagePullPolicy: pullPolicy(need('image-pull-policy')),
    },
    watched: watched(read('watch-namespaces') ?? namespace, read('cluster-wide') === 'true'),
    admin: address(need('admin')),
    kubeconfig: read('kubeconfig'),
    lives: {
      authorityMs: time('authority-life', LIVES.authorityMs),
      leafMs: time('leaf-life', LIVES.leafMs),
      settleMs: time('mount-delay', LIVES.settleMs),
    },
    identitySettleMs: time('identity-settle', 0),
    deletionHoldMs: time('deletion-hold', 0),
    watchSilenceMs: time('watch-silence', 0),
    logLevel: level(need('log-level')),
  }
}

/** One line for each flag. */
export function usage(): string {
  const lines = Object.entries(FLAGS).map(([name, { help }]) => `  --${name.padEnd(18)} ${help}`)
  return ['causeway operator', ...lines].join('\n')
}

function parse(argv: readonly string[]): Partial<Record<FlagName, string>> {
  const options = Object.fromEntries(
    Object.entries(FLAGS).map(([name, flag]) => [name, { type: 'isSwitch' in flag ? 'boolean' : 'string' } as const]),
  )
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false })
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function watched(text: string, isClusterWide: boolean): '*' | readonly string[] {
  if (text === '*') {
    if (!isClusterWide) throw new UsageError('--watch-namespaces * needs --cluster-wide')
    return '*'
  }
  const names = text.split(',').filter((name) => name !== '')
  if (names.length === 0) throw new UsageError('--watch-namespaces names no namespace')
  return [...new Set(names)]
}

function address(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':')
  const port = Number(text.slice(colon + 1))
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  if (colon <= 0 || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--admin must be host:port')
  return { host, port }
}

function pullPolicy(text: string): Installation['imagePullPolicy'] {
  if (text === 'Always' || text === 'IfNotPresent' || text === 'Never') return text
  throw new UsageError('--image-pull-policy must be Always, IfNotPresent or Never')
}

function level(text: string): LogLevel {
  const found = LOG_LEVELS.find((one) => one === text)
  if (found === undefined) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}`)
  return found
}
