import { durationMs, type MeshBackend, STDIO_LIMIT_DEFAULTS, wireNameOf } from '@causeway/mesh-api'
import { RelayStartError } from '../contract.ts'
import { type Environment, readHeaders } from './headers.ts'
import { qualified } from './names.ts'
import type { BackendConfig } from './relay-config.ts'

/** Reads the files and environment variables that its headers name. Throws RelayStartError. */
export async function backendConfig(backend: MeshBackend, environment: Environment): Promise<BackendConfig> {
  const { metadata, spec } = backend
  const { url, stdio, transport, headers } = spec.mcp
  const common = {
    name: qualified(metadata),
    wireName: wireNameOf(backend),
    peers: new Set(spec.peers.map((peer) => qualified({ namespace: metadata.namespace, ...peer }))),
  }
  if (url !== undefined) {
    const { connectTimeout, firstHeaderTimeout, maxConcurrency } = spec.limits
    return {
      kind: 'http',
      ...common,
      url: new URL(url),
      transport: TRANSPORTS[transport ?? 'StreamableHTTP'],
      headers: await readHeaders(headers, `MeshBackend ${common.name}: spec.mcp.headers`, environment),
      acceptHeaders: spec.acceptHeaders,
      connectTimeoutMs: optionalMs(connectTimeout),
      firstHeaderTimeoutMs: optionalMs(firstHeaderTimeout),
      maxConcurrency,
    }
  }
  if (stdio === undefined)
    throw new RelayStartError('CONFIGURATION', 'spec.mcp', `backend ${common.name} has no server`)
  return {
    kind: 'stdio',
    ...common,
    command: stdio.command,
    args: stdio.args,
    env: new Map(stdio.env.map(({ name, value }) => [name, value])),
    inheritEnv: stdio.inheritEnv,
    cwd: stdio.cwd,
    maxProcesses: spec.limits.maxProcesses ?? STDIO_LIMIT_DEFAULTS.maxProcesses,
    maxSessionProcesses: spec.limits.maxSessionProcesses ?? STDIO_LIMIT_DEFAULTS.maxSessionProcesses,
    maxQueued: spec.limits.maxQueued ?? STDIO_LIMIT_DEFAULTS.maxQueued,
  }
}

const TRANSPORTS = { StreamableHTTP: 'streamableHttp', HTTPSSE: 'httpSse' } as const

function optionalMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : durationMs(duration)
}
