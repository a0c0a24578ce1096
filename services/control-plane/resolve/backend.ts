import { durationMs, type MeshBackend, STDIO_LIMIT_DEFAULTS, wireNameOf } from '@causeway/mesh-api'
import type { BackendIr, HttpServerIr, StdioServerIr } from '../ir/backend.ts'
import type { SecretIr } from '../ir/file.ts'
import type { SourceStatus } from '../sources/source.ts'
import { credential } from './credential.ts'
import { referred } from './lookup.ts'
import { notImplementedYet } from './withheld.ts'

/** Throws Withheld. */
export function resolveBackend(backend: MeshBackend, status: SourceStatus): BackendIr {
  const { metadata, spec } = backend
  return {
    kind: 'backend',
    wireName: wireNameOf(backend),
    peers: spec.peers.map((peer) => referred(metadata.namespace, peer)).sort(),
    server: serverOf(backend, status),
  }
}

function serverOf(backend: MeshBackend, status: SourceStatus): HttpServerIr | StdioServerIr {
  const { spec } = backend
  const { url, stdio, transport } = spec.mcp
  if (url !== undefined) {
    const { connectTimeout, firstHeaderTimeout, maxConcurrency } = spec.limits
    return {
      kind: 'http',
      url,
      transport: transport === 'HTTPSSE' ? 'httpSse' : 'streamableHttp',
      headers: spec.mcp.headers.map((_, index) => headerOf(backend, status, index)),
      acceptHeaders: spec.acceptHeaders,
      connectTimeoutMs: optionalMs(connectTimeout),
      firstHeaderTimeoutMs: optionalMs(firstHeaderTimeout),
      maxConcurrency,
    }
  }
  if (stdio === undefined) throw notImplementedYet(otherServer(backend))
  return {
    kind: 'stdio',
    command: stdio.command,
    args: stdio.args,
    env: stdio.env,
    inheritEnv: stdio.inheritEnv,
    cwd: stdio.cwd,
    maxProcesses: spec.limits.maxProcesses ?? STDIO_LIMIT_DEFAULTS.maxProcesses,
    maxSessionProcesses: spec.limits.maxSessionProcesses ?? STDIO_LIMIT_DEFAULTS.maxSessionProcesses,
    maxQueued: spec.limits.maxQueued ?? STDIO_LIMIT_DEFAULTS.maxQueued,
  }
}

function otherServer({ spec: { a2a, workload } }: MeshBackend): string {
  if (a2a !== undefined) return 'spec.a2a'
  return workload !== undefined ? 'spec.workload' : 'spec.via'
}

function headerOf(
  { metadata, spec }: MeshBackend,
  status: SourceStatus,
  index: number,
): { readonly name: string; readonly value: SecretIr } {
  const header = spec.mcp.headers[index]
  if (header === undefined) throw new TypeError(`there is no header ${index}`)
  const { name, value, valueFile, valueFromEnv, valueFrom } = header
  if (valueFrom !== undefined) {
    const entry = { kind: 'Secret', namespace: metadata.namespace, ...valueFrom.secretRef } as const
    const file = credential(entry, status, `spec.mcp.headers[${index}].valueFrom.secretRef`)
    return { name, value: { file } }
  }
  if (valueFile !== undefined) return { name, value: { file: { path: valueFile } } }
  if (valueFromEnv !== undefined) return { name, value: { environmentVariable: valueFromEnv } }
  return { name, value: { literal: value ?? '' } }
}

function optionalMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : durationMs(duration)
}
