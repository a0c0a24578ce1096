import type { Logger, Metrics } from '@causeway/telemetry'
import type { Backend, BackendClock } from './backends/contract.ts'
import { createHttpBackend } from './backends/http/backend.ts'
import type { HttpBackendSettings } from './backends/http/contract.ts'
import { createStdioBackend } from './backends/stdio/backend.ts'
import type { StdioBackendOptions } from './backends/stdio/contract.ts'
import type { BackendConfig, HttpBackendConfig, RelayLimits, StdioBackendConfig } from './config/relay-config.ts'

/** What every backend of a relay is given. */
export interface BackendContext {
  /** What stdio servers inherit by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: BackendClock
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface CreateBackendOptions extends BackendContext {
  readonly limits: RelayLimits
  readonly onHealthChanged: () => void
}

/** A backend, and how it takes a new configuration. */
export interface ConfiguredBackend {
  readonly backend: Backend
  /** Another configuration of the same server (`sameServer`), from the next request on. */
  update(config: BackendConfig, limits: RelayLimits): void
}

export function createBackend(config: BackendConfig, options: CreateBackendOptions): ConfiguredBackend {
  return config.kind === 'http' ? httpBackend(config, options) : stdioBackend(config, options)
}

function stdioBackend(config: StdioBackendConfig, options: CreateBackendOptions): ConfiguredBackend {
  const { command, args, env, inheritEnv, cwd } = config
  const { limits, environment, ...context } = options
  const backend = createStdioBackend({
    name: `backend/${config.name}`,
    command,
    args,
    env,
    inheritEnv,
    cwd,
    relayEnv: environment,
    limits: stdioLimits(config, limits),
    ...context,
  })
  return {
    backend,
    update: (changed, relay) => {
      if (changed.kind === 'stdio') backend.update(stdioLimits(changed, relay))
    },
  }
}

function stdioLimits(config: StdioBackendConfig, limits: RelayLimits): StdioBackendOptions['limits'] {
  const { maxProcesses, maxSessionProcesses, maxQueued } = config
  return { maxProcesses, maxSessionProcesses, maxQueued, maxReplyOctets: limits.maxReplyOctets }
}

function httpBackend(config: HttpBackendConfig, options: CreateBackendOptions): ConfiguredBackend {
  const { url, transport } = config
  const { limits, environment, ...context } = options
  const backend = createHttpBackend({
    name: `backend/${config.name}`,
    url,
    transport,
    ...httpSettings(config, limits),
    ...context,
  })
  return {
    backend,
    update: (changed, relay) => {
      if (changed.kind === 'http') backend.update(httpSettings(changed, relay))
    },
  }
}

function httpSettings(config: HttpBackendConfig, limits: RelayLimits): HttpBackendSettings {
  const { connectTimeoutMs, firstHeaderTimeoutMs, maxConcurrency } = config
  return {
    headers: config.headers,
    acceptHeaders: config.acceptHeaders,
    limits: {
      ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
      ...(firstHeaderTimeoutMs === undefined ? {} : { firstHeaderTimeoutMs }),
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      maxHeaderOctets: limits.maxHeaderOctets,
      maxReplyOctets: limits.maxReplyOctets,
      maxSessions: limits.sessionsPerRoute,
    },
  }
}
