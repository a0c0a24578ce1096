import { allDistinct } from './distinct.ts'
import type { Rule } from './kind.ts'
import type { MeshBackend } from './mesh-backend.ts'
import { CEL, isOfOneConnection, isOfTheRelay } from './never-accepted.ts'

/** CEL of what stands below as `!onlyStdio(mcp)`. */
const NOT_ONLY_STDIO = '!has(self.mcp.stdio) || has(self.mcp.url)'

/** CEL of what stands below as `isWrittenByRelay(name)`. */
const WRITTEN_BY_RELAY = `${CEL.isOfOneConnection} || ${CEL.isOfTheRelay} || name.startsWith('mcp-')`

/** The rules about `spec.mcp`: a server that is reached by a URL, or one that is a process. */
export const serverRules: readonly Rule<MeshBackend>[] = [
  {
    id: 'ExactlyOneServer',
    message:
      'exactly one of url and stdio must be set, as in url: http://127.0.0.1:3001/mcp or ' +
      'stdio: {command: npx, args: [-y, some-mcp-server]}',
    fieldPath: 'spec.mcp',
    cluster: { cel: 'has(self.mcp.url) != has(self.mcp.stdio)' },
    holds: ({ spec: { mcp } }) => (mcp.url !== undefined) !== (mcp.stdio !== undefined),
  },
  {
    id: 'TransportWithUrl',
    message: 'transport belongs to url; a stdio server has none',
    fieldPath: 'spec.mcp.transport',
    cluster: { cel: `${NOT_ONLY_STDIO} || !has(self.mcp.transport)` },
    holds: ({ spec: { mcp } }) => !onlyStdio(mcp) || mcp.transport === undefined,
  },
  {
    id: 'HeadersWithUrl',
    message: 'headers belong to url; give a stdio server what it needs with stdio.env',
    fieldPath: 'spec.mcp.headers',
    cluster: { cel: `${NOT_ONLY_STDIO} || self.mcp.headers.size() == 0` },
    holds: ({ spec: { mcp } }) => !onlyStdio(mcp) || mcp.headers.length === 0,
  },
  {
    id: 'AcceptHeadersWithUrl',
    message: 'acceptHeaders belong to url; a stdio server gets no headers',
    fieldPath: 'spec.acceptHeaders',
    cluster: { cel: `${NOT_ONLY_STDIO} || self.acceptHeaders.size() == 0` },
    holds: ({ spec }) => !onlyStdio(spec.mcp) || spec.acceptHeaders.length === 0,
  },
  {
    id: 'LimitsOfUrl',
    message:
      'connectTimeout, firstHeaderTimeout and maxConcurrency belong to url; a stdio server is bounded by maxProcesses, ' +
      'maxSessionProcesses and maxQueued',
    fieldPath: 'spec.limits',
    cluster: { cel: `${NOT_ONLY_STDIO} || ${noLimit('connectTimeout', 'firstHeaderTimeout', 'maxConcurrency')}` },
    holds: ({ spec: { mcp, limits } }) =>
      !onlyStdio(mcp) || noneOf(limits.connectTimeout, limits.firstHeaderTimeout, limits.maxConcurrency),
  },
  {
    id: 'LimitsOfStdio',
    message: 'maxProcesses, maxSessionProcesses and maxQueued belong to stdio; a url is bounded by maxConcurrency',
    fieldPath: 'spec.limits',
    cluster: { cel: `has(self.mcp.stdio) || ${noLimit('maxProcesses', 'maxSessionProcesses', 'maxQueued')}` },
    holds: ({ spec: { mcp, limits } }) =>
      mcp.stdio !== undefined || noneOf(limits.maxProcesses, limits.maxSessionProcesses, limits.maxQueued),
  },
  {
    id: 'HeaderNamesDistinct',
    message: 'names a header twice',
    fieldPath: 'spec.mcp.headers',
    cluster: { listType: 'map' },
    holds: ({ spec: { mcp } }) => allDistinct(mcp.headers.map(({ name }) => name)),
  },
  {
    id: 'HeaderNamesFree',
    message:
      'names a header that the relay writes itself: host, accept and accept-encoding, content-*, last-event-id, mcp-*, ' +
      'proxy-*, hop-by-hop',
    fieldPath: 'spec.mcp.headers',
    cluster: { cel: `!self.mcp.headers.map(header, header.name).exists(name, ${WRITTEN_BY_RELAY})` },
    holds: ({ spec: { mcp } }) => !mcp.headers.some(({ name }) => isWrittenByRelay(name)),
  },
  {
    id: 'HeadersNotAccepted',
    message: 'names a header of acceptHeaders too; it has its value either from here or from the client',
    fieldPath: 'spec.mcp.headers',
    cluster: { cel: '!self.mcp.headers.exists(header, header.name in self.acceptHeaders)' },
    holds: ({ spec }) => !spec.mcp.headers.some(({ name }) => spec.acceptHeaders.includes(name)),
  },
  {
    id: 'HeaderOneValue',
    message: 'each header needs exactly one of value, valueFile and valueFromEnv',
    fieldPath: 'spec.mcp.headers',
    cluster: {
      cel:
        'self.mcp.headers.all(header, ' +
        '[has(header.value), has(header.valueFile), has(header.valueFromEnv)].filter(one, one).size() == 1)',
    },
    holds: ({ spec: { mcp } }) =>
      mcp.headers.every(
        ({ value, valueFile, valueFromEnv }) =>
          [value, valueFile, valueFromEnv].filter((one) => one !== undefined).length === 1,
      ),
  },
  {
    id: 'EnvironmentDistinct',
    message: 'names an environment variable twice, in env or in inheritEnv',
    fieldPath: 'spec.mcp.stdio',
    cluster: { cel: '!has(self.mcp.stdio) || !self.mcp.stdio.env.exists(one, one.name in self.mcp.stdio.inheritEnv)' },
    holds: ({ spec: { mcp } }) =>
      allDistinct([...(mcp.stdio?.env ?? []).map(({ name }) => name), ...(mcp.stdio?.inheritEnv ?? [])]),
  },
]

/** Headers of a request to a server that nobody but the relay sets. `name` in lower case. */
export function isWrittenByRelay(name: string): boolean {
  return isOfOneConnection(name) || isOfTheRelay(name) || name.startsWith('mcp-')
}

/** With both or none of them the object has another problem, and one is enough. */
function onlyStdio({ url, stdio }: MeshBackend['spec']['mcp']): boolean {
  return stdio !== undefined && url === undefined
}

function noneOf(...fields: readonly unknown[]): boolean {
  return fields.every((field) => field === undefined)
}

/** CEL: none of these limits is set. */
function noLimit(...fields: readonly string[]): string {
  return `(${fields.map((field) => `!has(self.limits.${field})`).join(' && ')})`
}
