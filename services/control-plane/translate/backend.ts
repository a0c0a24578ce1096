import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type Backend, BackendSchema, type HttpServerSchema, McpTransport, type StdioServerSchema } from '@causeway/rpc'
import type { BackendIr, HttpServerIr, StdioServerIr } from '../ir/backend.ts'
import { translateSecret } from './file.ts'
import { given, same } from './given.ts'

export function translateBackend({ wireName, peers, server }: BackendIr): Backend {
  return create(BackendSchema, {
    wireName,
    peers: [...peers],
    server:
      server.kind === 'http'
        ? { case: 'http', value: httpServer(server) }
        : { case: 'stdio', value: stdioServer(server) },
  })
}

const TRANSPORTS: Readonly<Record<HttpServerIr['transport'], McpTransport>> = {
  streamableHttp: McpTransport.STREAMABLE_HTTP,
  httpSse: McpTransport.HTTP_SSE,
}

function httpServer(server: HttpServerIr): MessageInitShape<typeof HttpServerSchema> {
  return {
    url: server.url,
    transport: TRANSPORTS[server.transport],
    headers: server.headers.map(({ name, value }) => ({ name, value: translateSecret(value) })),
    acceptHeaders: [...server.acceptHeaders],
    ...given('connectTimeoutMs', server.connectTimeoutMs, BigInt),
    ...given('firstHeaderTimeoutMs', server.firstHeaderTimeoutMs, BigInt),
    ...given('maxConcurrency', server.maxConcurrency, same),
  }
}

function stdioServer(server: StdioServerIr): MessageInitShape<typeof StdioServerSchema> {
  return {
    command: server.command,
    args: [...server.args],
    env: server.env.map(({ name, value }) => ({ name, value })),
    inheritEnv: [...server.inheritEnv],
    cwd: server.cwd ?? '',
    maxProcesses: server.maxProcesses,
    maxSessionProcesses: server.maxSessionProcesses,
    maxQueued: server.maxQueued,
  }
}
