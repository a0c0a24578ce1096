import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { httpUrl } from '../fields/host.ts'
import { ATOMIC, MAP_BY_NAME, SET } from '../fields/list-types.ts'
import { environmentName, filePath, headerName, wireName } from '../fields/names.ts'
import { reference, relayRefs } from '../fields/reference.ts'
import { argument, environmentValue, headerValue, program } from '../fields/texts.ts'
import type { Resource } from './kind.ts'

const header = z.strictObject({
  name: headerName().describe('The name of the header, such as authorization.'),
  value: headerValue().optional().describe('Its value.'),
  valueFile: filePath()
    .optional()
    .describe('A file with its value, such as a mounted Secret; line ends behind the value are left out.'),
  valueFromEnv: environmentName().optional().describe("An environment variable of the relay's with its value."),
})

const stdio = z
  .strictObject({
    command: program().describe(
      'The program: a name that is looked up in PATH, or a path. It is started directly, without a shell.',
    ),
    args: z.array(argument()).max(256).meta(ATOMIC).default([]).describe('Its arguments. Printed as [redacted].'),
    env: z
      .array(
        z.strictObject({
          name: environmentName().describe('The name of the variable.'),
          value: environmentValue().describe('Its value. Printed as [redacted].'),
        }),
      )
      .max(256)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('Environment variables of the process.'),
    inheritEnv: z
      .array(environmentName())
      .max(256)
      .meta(SET)
      .default([])
      .describe(
        "Names of the relay's own environment variables that the process gets too, besides the few that every program " +
          'needs (PATH, HOME and their like). No other reaches it.',
      ),
    cwd: filePath()
      .optional()
      .describe("The folder that the process starts in. Default: that of this file, or else the relay's own."),
  })
  .describe('A server that is started as a process and spoken to over its standard input and output.')

const mcp = z
  .strictObject({
    url: httpUrl().optional().describe('The HTTP endpoint of the MCP server.'),
    transport: z
      .enum(['StreamableHTTP', 'HTTPSSE'])
      .optional()
      .describe(
        'With url: what the endpoint speaks. HTTPSSE: HTTP with SSE as revision 2024-11-05 had it; url is that of its ' +
          'event stream. Default: StreamableHTTP.',
      ),
    headers: z
      .array(header)
      .max(64)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('With url: headers that every request to the server carries, such as its credentials.'),
    stdio: stdio.optional(),
  })
  .describe('An MCP server. Exactly one of url and stdio.')

/** What each of these is where the backend does not say. */
export const STDIO_LIMIT_DEFAULTS = { maxProcesses: 8, maxSessionProcesses: 32, maxQueued: 64 } as const

export const meshBackendSpec = z
  .strictObject({
    relayRefs: relayRefs(),
    meshName: wireName().optional().describe("The target's name on the wire. Default: the object's name."),
    mcp,
    peers: z
      .array(reference('a MeshPeer'))
      .max(1024)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('The peers that may reach this backend. Empty: none, only routes of the same relays.'),
    acceptHeaders: z
      .array(headerName())
      .max(64)
      .meta(SET)
      .default([])
      .describe(
        'With url: names of headers, beyond those of MCP itself, that the server gets where a client sent them and its ' +
          'route forwards them (forwardHeaders).',
      ),
    limits: z
      .strictObject({
        connectTimeout: duration()
          .optional()
          .describe('With url: how long connecting may take. Default: no limit of ours.'),
        firstHeaderTimeout: duration()
          .optional()
          .describe('With url: how long the first header of an answer may take. Default: no limit of ours.'),
        maxConcurrency: z
          .int()
          .min(1)
          .max(65_536)
          .optional()
          .describe('With url: the most requests at once. Default: no limit of ours.'),
        maxProcesses: z
          .int()
          .min(1)
          .max(1_024)
          .optional()
          .describe('With stdio: the most processes that serve requests without a session. Default: 8.'),
        maxSessionProcesses: z
          .int()
          .min(1)
          .max(65_536)
          .optional()
          .describe('With stdio: the most processes for sessions of one client or peer, one each. Default: 32.'),
        maxQueued: z
          .int()
          .min(0)
          .max(65_536)
          .optional()
          .describe('With stdio: the most requests without a session that wait for a process. Default: 64.'),
      })
      .prefault({})
      .describe('Bounds of this backend.'),
  })
  .describe('One local target.')

export type MeshBackendSpec = z.output<typeof meshBackendSpec>
export type MeshBackend = Resource<'MeshBackend', MeshBackendSpec>

/** The backend's name on the wire (CONTROL section 1). */
export function wireNameOf(backend: MeshBackend): string {
  return backend.spec.meshName ?? backend.metadata.name
}
