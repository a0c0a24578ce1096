import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { allowedOrigin } from '../fields/host.ts'
import { SET } from '../fields/list-types.ts'
import { headerName, objectName, wireName } from '../fields/names.ts'
import { reference, relayRefs } from '../fields/reference.ts'
import type { Resource } from './kind.ts'

const MIB = 1024 * 1024

const target = z
  .strictObject({
    backendRef: reference('a MeshBackend of the same relays').optional().describe('A backend of this relay.'),
    peer: z
      .strictObject({
        name: objectName().describe('The name of a MeshPeer, in the same namespace.'),
        target: wireName()
          .optional()
          .describe("The target's name there. Absent: whatever the peer takes for its default."),
      })
      .optional()
      .describe('A target behind a peer.'),
  })
  .describe('Exactly one of backendRef and peer.')

const transparent = z
  .strictObject({
    target,
    trustAnnotations: z
      .boolean()
      .default(true)
      .describe(
        "Whether the annotations of the server's tools (readOnlyHint, destructiveHint) decide the safety label of a call. " +
          'false: every call of a tool is labelled as if its effect were unknown.',
      ),
  })
  .describe('Every message crosses octet for octet, to one target.')

const cors = z
  .strictObject({
    allowedOrigins: z
      .array(allowedOrigin())
      .min(1)
      .max(64)
      .meta(SET)
      .describe('The origins whose pages may call this route, such as https://app.example.com.'),
    maxAge: duration().default('10m').describe('How long a browser may go without asking again.'),
  })
  .describe('Lets pages in a browser call this route. Absent: the answers allow no other origin to read them.')

export const meshRouteSpec = z
  .strictObject({
    relayRefs: relayRefs(),
    path: z
      .string()
      .min(1)
      .max(255)
      .regex(
        /^\/([-._~A-Za-z0-9]+(\/[-._~A-Za-z0-9]+)*)?$/,
        'must be a path such as /everything: segments of letters, digits, "-", ".", "_" and "~", no trailing slash',
      )
      .describe('The HTTP path of this route on the MCP listener, matched whole.'),
    transparent,
    forwardHeaders: z
      .array(headerName())
      .max(64)
      .meta(SET)
      .default([])
      .describe(
        "Names of the client's HTTP headers that cross to the target, where the backend's acceptHeaders must name them " +
          'too. Never credentials, and nothing that belongs to one connection.',
      ),
    cors: cors.optional(),
    limits: z
      .strictObject({
        requestTimeout: duration()
          .optional()
          .describe('How long a request may go without an answer or a notification of its own. Default: no limit.'),
        maxBodyBytes: z
          .int()
          .min(1024)
          .max(16 * MIB - 65_536)
          .optional()
          .describe("The largest body of one request, in octets. Default: the relay's."),
        sessions: z
          .int()
          .min(1)
          .max(1_000_000)
          .optional()
          .describe("The most open legacy sessions of this route. Default: the relay's sessionsPerRoute."),
      })
      .prefault({})
      .describe('Bounds of this route.'),
  })
  .describe('What a relay offers to its clients under one path.')

export type MeshRouteSpec = z.output<typeof meshRouteSpec>
export type MeshRoute = Resource<'MeshRoute', MeshRouteSpec>
