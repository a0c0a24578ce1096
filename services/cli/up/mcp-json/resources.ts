import { API_VERSION, ConfigurationError, loadResources, type Problem, type Resources } from '@causeway/mesh-api'
import type { Findings } from './findings.ts'
import type { McpServer, Origin } from './servers.ts'

export const RELAY_NAME = 'mcp-json'

/** Where the relay listens: nobody but this machine reaches servers that come without any configuration. */
const HOST = '127.0.0.1'

/**
 * One relay with a backend and a route `/SEGMENT/mcp` for every server. Throws ConfigurationError with what the kinds'
 * own rules find, at its place in the file.
 */
export function toResources(
  servers: readonly McpServer[],
  port: number,
  folder: string,
  findings: Findings,
): Resources {
  const named = objectNames(servers)
  const relayRefs = [{ name: RELAY_NAME }]
  const documents = [
    resource('MeshRelay', RELAY_NAME, { listeners: { mcp: { host: HOST, port } } }),
    ...[...named].flatMap(([name, { segment, mcp }]) => [
      resource('MeshBackend', name, { relayRefs, mcp }),
      resource('MeshRoute', name, {
        relayRefs,
        path: `/${segment}/mcp`,
        transparent: { target: { backendRef: { name } } },
      }),
    ]),
  ]
  const octets = new TextEncoder().encode(documents.map((one) => JSON.stringify(one)).join('\n---\n'))
  try {
    return loadResources([{ name: RELAY_NAME, octets, folder }])
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    for (const problem of error.problems) tell(problem, named, findings)
    findings.check()
    throw error
  }
}

function resource(kind: string, name: string, spec: object): object {
  return { apiVersion: API_VERSION, kind, metadata: { name }, spec }
}

/** Names as objects have them, for logs: lower case, and unique. */
function objectNames(servers: readonly McpServer[]): ReadonlyMap<string, McpServer> {
  const named = new Map<string, McpServer>()
  for (const server of servers) {
    const plain = server.segment
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 56)
      .replace(/^-+|-+$/g, '')
    const base = plain === '' ? 'server' : plain
    let name = base
    for (let count = 2; named.has(name); count++) name = `${base}-${count}`
    named.set(name, server)
  }
  return named
}

function tell({ name, fieldPath, message }: Problem, named: ReadonlyMap<string, McpServer>, findings: Findings): void {
  const server = named.get(name?.split('/').at(-1) ?? '')
  const origin = server && originOf(server, fieldPath)
  if (origin !== undefined) findings.error(origin, message)
}

/** Where the field, or the least part of the server that holds it, stands in the file. */
function originOf({ origins }: McpServer, fieldPath: string): Origin | undefined {
  for (let path = fieldPath; path !== ''; path = path.replace(/(\[[^\]]*\]|\.?[^.[\]]*)$/, '')) {
    const origin = origins.get(path)
    if (origin !== undefined) return origin
  }
  return origins.get('spec')
}
