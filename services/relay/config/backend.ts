import { type Backend, type HttpServer, McpTransport, type StdioServer } from '@causeway/rpc'
import type { FileReader } from './file-reader.ts'
import { optionalNumber } from './numbers.ts'
import { invalid } from './problem.ts'
import type { BackendConfig, HttpBackendConfig } from './relay-config.ts'
import { type Environment, headerValue } from './secret.ts'

/** Reads the files and environment variables that its headers name. Throws ConfigProblem. */
export async function readBackend(
  name: string,
  { wireName, peers, server }: Backend,
  reader: FileReader,
  environment: Environment,
): Promise<BackendConfig> {
  const common = { name, wireName, peers: new Set(peers) }
  switch (server.case) {
    case 'http':
      return { ...common, ...(await httpServer(server.value, reader, environment)) }
    case 'stdio':
      return { ...common, ...stdioServer(server.value) }
    default:
      throw invalid('spec', 'this version knows no such server')
  }
}

async function httpServer(
  server: HttpServer,
  reader: FileReader,
  environment: Environment,
): Promise<Omit<HttpBackendConfig, 'name' | 'wireName' | 'peers'>> {
  const url = URL.parse(server.url)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid('spec.mcp.url', 'the URL is not one of http or https')
  const headers = new Map<string, string>()
  for (const [index, header] of server.headers.entries()) {
    headers.set(header.name, await headerValue(header.value, `spec.mcp.headers[${index}]`, reader, environment))
  }
  return {
    kind: 'http',
    url,
    transport: transportOf(server.transport),
    headers,
    acceptHeaders: server.acceptHeaders,
    connectTimeoutMs: optionalNumber(server.connectTimeoutMs),
    firstHeaderTimeoutMs: optionalNumber(server.firstHeaderTimeoutMs),
    maxConcurrency: server.maxConcurrency,
  }
}

function transportOf(transport: McpTransport): HttpBackendConfig['transport'] {
  switch (transport) {
    case McpTransport.STREAMABLE_HTTP:
      return 'streamableHttp'
    case McpTransport.HTTP_SSE:
      return 'httpSse'
    default:
      throw invalid('spec.mcp.transport', 'this version knows no such transport')
  }
}

function stdioServer(
  server: StdioServer,
): Omit<Extract<BackendConfig, { kind: 'stdio' }>, 'name' | 'wireName' | 'peers'> {
  const { command, args, env, inheritEnv, cwd, maxProcesses, maxSessionProcesses, maxQueued } = server
  return {
    kind: 'stdio',
    command,
    args,
    env: new Map(env.map(({ name, value }) => [name, value])),
    inheritEnv,
    cwd: cwd === '' ? undefined : cwd,
    maxProcesses,
    maxSessionProcesses,
    maxQueued,
  }
}
