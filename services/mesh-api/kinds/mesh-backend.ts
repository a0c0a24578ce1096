import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { allowedNamespaces } from '../fields/grant.ts'
import { httpUrl } from '../fields/host.ts'
import { ATOMIC, MAP_BY_NAME, SET } from '../fields/list-types.ts'
import { environmentName, filePath, headerName, wireName } from '../fields/names.ts'
import { image, podFields } from '../fields/pod.ts'
import { dataRef, reference, relayRefs } from '../fields/reference.ts'
import { argument, environmentValue, headerValue, program } from '../fields/texts.ts'
import type { Resource } from './kind.ts'

function valueFrom() {
  return z.strictObject({ secretRef: dataRef('Secret').describe('An entry of a Secret.') })
}

const header = z.strictObject({
  name: headerName().describe('The name of the header, such as authorization.'),
  value: headerValue().optional().describe('Its value.'),
  valueFile: filePath()
    .optional()
    .describe('In files: a file with its value, such as a mounted Secret; line ends behind the value are left out.'),
  valueFromEnv: environmentName()
    .optional()
    .describe("In files: an environment variable of the relay's with its value."),
  valueFrom: valueFrom().optional().describe('On a cluster: where its value is.'),
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
        "In files: names of the relay's own environment variables that the process gets too, besides the few that every program " +
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
  .prefault({})
  .describe('An MCP server, at a url or by stdio.')

const a2a = z
  .strictObject({
    cardURL: httpUrl().describe('Where the agent card is, such as http://agent:9000/.well-known/agent-card.json.'),
    headers: z
      .array(header)
      .max(64)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('Headers that every request to the agent carries, such as its credentials.'),
  })
  .describe('An A2A agent, found by its card.')

const via = z
  .strictObject({
    peerRef: reference('a MeshPeer of the same relays').describe('The peer behind which the target is.'),
    target: wireName().optional().describe("The target's name there. Absent: whatever the peer takes for its default."),
  })
  .describe('A target behind another peer: this relay stands between two others.')

const workload = z
  .strictObject({
    ...podFields(),
    image: image().describe('The image of the server.'),
    protocol: z.enum(['mcp', 'a2a']).default('mcp').describe('What the server speaks.'),
    port: z.int().min(1).max(65_535).describe('The TCP port on which it listens.'),
    path: z
      .string()
      .min(1)
      .max(255)
      .regex(/^(\/[-._~A-Za-z0-9]+)+$/, 'must be a path such as /mcp')
      .default('/mcp')
      .describe('The path of its endpoint, or of its card.'),
    command: z.array(argument()).max(64).meta(ATOMIC).default([]).describe("The program. Default: the image's."),
    args: z.array(argument()).max(256).meta(ATOMIC).default([]).describe('Its arguments.'),
    env: z
      .array(
        z.strictObject({
          name: environmentName().describe('The name of the variable.'),
          value: environmentValue().optional().describe('Its value.'),
          valueFrom: valueFrom().optional().describe('Where its value is.'),
        }),
      )
      .max(256)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('Environment variables of the server.'),
    replicas: z.int().min(0).max(1_000).default(1).describe('How many of it run.'),
  })
  .describe('On a cluster: a server that the operator runs.')

/** What each of these is where the backend does not say. */
export const STDIO_LIMIT_DEFAULTS = { maxProcesses: 8, maxSessionProcesses: 32, maxQueued: 64 } as const

export const meshBackendSpec = z
  .strictObject({
    relayRefs: relayRefs(),
    meshName: wireName().optional().describe("The target's name on the wire. Default: the object's name."),
    mcp,
    a2a: a2a.optional(),
    workload: workload.optional(),
    via: via.optional(),
    peers: z
      .array(reference('a MeshPeer'))
      .max(1024)
      .meta(ATOMIC)
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
    allowedNamespaces: allowedNamespaces(),
  })
  .describe('One target: exactly one of mcp.url, mcp.stdio, a2a, workload and via.')

export type MeshBackendSpec = z.output<typeof meshBackendSpec>
export type MeshBackend = Resource<'MeshBackend', MeshBackendSpec>

/** The backend's name on the wire (CONTROL section 1). */
export function wireNameOf(backend: MeshBackend): string {
  return backend.spec.meshName ?? backend.metadata.name
}
