import type { Logger, Metrics } from '@causeway/telemetry'
import type { Backend, BackendClock } from './backends/contract.ts'
import { createHttpBackend } from './backends/http/backend.ts'
import { createStdioBackend } from './backends/stdio/backend.ts'
import type { BackendConfig, HttpBackendConfig, RelayLimits, StdioBackendConfig } from './config/relay-config.ts'

/** What every backend of a relay is given. */
export interface BackendContext {
  readonly limits: RelayLimits
  /** What stdio servers inherit by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: BackendClock
  readonly logger: Logger
  readonly metrics: Metrics
}

export function createBackend(config: BackendConfig, context: BackendContext): Backend {
  return config.kind === 'http' ? httpBackend(config, context) : stdioBackend(config, context)
}

function stdioBackend(config: StdioBackendConfig, context: BackendContext): Backend {
  const { command, args, env, inheritEnv, cwd, maxProcesses, maxSessionProcesses, maxQueued } = config
  const { limits, environment, clock, logger, metrics } = context
  return createStdioBackend({
    name: `backend/${config.name}`,
    command,
    args,
    env,
    inheritEnv,
    cwd,
    relayEnv: environment,
    limits: { maxProcesses, maxSessionProcesses, maxQueued, maxReplyOctets: limits.maxReplyOctets },
    clock,
    logger,
    metrics,
  })
}

function httpBackend(config: HttpBackendConfig, { limits, clock, logger, metrics }: BackendContext): Backend {
  const { connectTimeoutMs, firstHeaderTimeoutMs, maxConcurrency } = config
  return createHttpBackend({
    name: `backend/${config.name}`,
    url: config.url,
    transport: config.transport,
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
    clock,
    logger,
    metrics,
  })
}
