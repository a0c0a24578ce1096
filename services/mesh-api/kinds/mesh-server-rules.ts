import type { Rule } from './kind.ts'
import { CEL, isOfOneConnection, isOfTheRelay } from './never-accepted.ts'

/** CEL: the server is reached by HTTP, or nothing says what it is, which is a fault of its own, and one is enough. */
const MAY_BE_HTTP = '!has(self.mcp.stdio) || has(self.mcp.url)'

/** CEL, about a string `name`: nobody but the relay sets this header of a request to a server. */
const WRITTEN_BY_RELAY = `${CEL.isOfOneConnection} || ${CEL.isOfTheRelay} || name.startsWith('mcp-')`

/** The rules about what the server is: a URL, a process, a workload, an agent or a target elsewhere. */
export const serverRules: readonly Rule[] = [
  {
    id: 'ExactlyOneServer',
    message:
      'exactly one of mcp.url, mcp.stdio, a2a, workload and via must be set, as in url: http://127.0.0.1:3001/mcp or ' +
      'stdio: {command: npx, args: [-y, some-mcp-server]}',
    fieldPath: 'spec.mcp',
    cel:
      '[has(self.mcp.url), has(self.mcp.stdio), has(self.a2a), has(self.workload), has(self.via)]' +
      '.filter(one, one).size() == 1',
  },
  {
    id: 'TransportWithUrl',
    message: 'transport belongs to url; a stdio server has none',
    fieldPath: 'spec.mcp.transport',
    cel: `${MAY_BE_HTTP} || !has(self.mcp.transport)`,
  },
  {
    id: 'HeadersWithUrl',
    message: 'headers belong to url; give a stdio server what it needs with stdio.env',
    fieldPath: 'spec.mcp.headers',
    cel: `${MAY_BE_HTTP} || self.mcp.headers.size() == 0`,
  },
  {
    id: 'AcceptHeadersWithUrl',
    message: 'acceptHeaders belong to url; a stdio server gets no headers',
    fieldPath: 'spec.acceptHeaders',
    cel: `${MAY_BE_HTTP} || self.acceptHeaders.size() == 0`,
  },
  {
    id: 'LimitsOfUrl',
    message:
      'connectTimeout, firstHeaderTimeout and maxConcurrency belong to url; a stdio server is bounded by maxProcesses, ' +
      'maxSessionProcesses and maxQueued',
    fieldPath: 'spec.limits',
    cel: `${MAY_BE_HTTP} || ${noLimit('connectTimeout', 'firstHeaderTimeout', 'maxConcurrency')}`,
  },
  {
    id: 'LimitsOfStdio',
    message: 'maxProcesses, maxSessionProcesses and maxQueued belong to stdio; a url is bounded by maxConcurrency',
    fieldPath: 'spec.limits',
    cel: `has(self.mcp.stdio) || ${noLimit('maxProcesses', 'maxSessionProcesses', 'maxQueued')}`,
  },
  {
    id: 'HeaderNamesFree',
    message:
      'names a header that the relay writes itself: host, accept and accept-encoding, content-*, last-event-id, mcp-*, ' +
      'proxy-*, hop-by-hop',
    fieldPath: 'spec.mcp.headers',
    cel: `!self.mcp.headers.map(header, header.name).exists(name, ${WRITTEN_BY_RELAY})`,
  },
  {
    id: 'HeadersNotAccepted',
    message: 'names a header of acceptHeaders too; it has its value either from here or from the client',
    fieldPath: 'spec.mcp.headers',
    cel: '!self.mcp.headers.exists(header, header.name in self.acceptHeaders)',
  },
  ...(['spec.mcp.headers[]', 'spec.a2a.headers[]'] as const).map(
    (at): Rule => ({
      id: 'HeaderOneValue',
      message:
        'exactly one of value, valueFile, valueFromEnv and valueFrom must be set, as in valueFrom: {secretRef: {name: search, ' +
        'key: token}}',
      fieldPath: at,
      at,
      cel:
        '[has(self.value), has(self.valueFile), has(self.valueFromEnv), has(self.valueFrom)]' +
        '.filter(one, one).size() == 1',
    }),
  ),
  {
    id: 'EnvironmentDistinct',
    message: 'names an environment variable in env and in inheritEnv',
    fieldPath: 'spec.mcp.stdio',
    cel: '!has(self.mcp.stdio) || !self.mcp.stdio.env.exists(one, one.name in self.mcp.stdio.inheritEnv)',
  },
]

/** Headers of a request to a server that nobody but the relay sets. `name` in lower case. */
export function isWrittenByRelay(name: string): boolean {
  return isOfOneConnection(name) || isOfTheRelay(name) || name.startsWith('mcp-')
}

/** CEL: none of these limits is set. */
function noLimit(...fields: readonly string[]): string {
  return `(${fields.map((field) => `!has(self.limits.${field})`).join(' && ')})`
}
