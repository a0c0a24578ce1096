import type { Logger, Metrics } from '@causeway/telemetry'
import type { Backend, BackendClock } from './backends/contract.ts'
import { createHttpBackend } from './backends/http/backend.ts'
import type { BackendConfig, HttpBackendConfig, RelayLimits } from './config/relay-config.ts'
import { RelayStartError } from './contract.ts'

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
  if (config.kind === 'http') return httpBackend(config, context)
  throw new RelayStartError('CONFIGURATION', 'spec.mcp.stdio', `backend ${config.name}: not available`)
}

function httpBackend(config: HttpBackendConfig, { limits, clock, logger, metrics }: BackendContext): Backend {
  const { connectTimeoutMs, firstHeaderTimeoutMs, maxConcurrency } = config
  return createHttpBackend({
    name: `backend/${config.name}`,
    url: config.url,
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
