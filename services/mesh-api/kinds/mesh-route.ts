import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { allowedOrigin, httpUrl } from '../fields/host.ts'
import { MAP_BY_NAME, SET } from '../fields/list-types.ts'
import { headerName, objectLabel, toolPattern, wireName } from '../fields/names.ts'
import { reference, referenceShape, relayRefs } from '../fields/reference.ts'
import { celText, jsonPointer, namePattern } from '../fields/texts.ts'
import type { Resource } from './kind.ts'

const MIB = 1024 * 1024

/** Where requests go: fields of a target. */
const targetShape = () => ({
  backendRef: reference('a MeshBackend of the same relays').optional().describe('A backend of this relay.'),
  peer: z
    .strictObject({
      ...referenceShape('a MeshPeer of the same relays'),
      target: wireName()
        .optional()
        .describe("The target's name there. Absent: whatever the peer takes for its default."),
    })
    .optional()
    .describe('A target behind a peer.'),
})

const target = z.strictObject(targetShape()).describe('Exactly one of backendRef and peer.')

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

const toolNames = () => z.array(toolPattern()).max(256).meta(SET)

const guardrail = z.strictObject({
  name: objectLabel().describe('What it is called in refusals and records.'),
  stage: z.enum(['before', 'after']).describe('before: it sees the arguments of a call. after: it sees the result.'),
  tools: toolNames().default(['*']).describe('The tools that it is for, as clients see them.'),
  redact: z
    .array(jsonPointer())
    .min(1)
    .max(64)
    .meta(SET)
    .optional()
    .describe('JSON Pointers of the values that are replaced by [redacted].'),
  deny: z
    .strictObject({ matches: celText().describe('A CEL expression over the arguments or the result.') })
    .optional()
    .describe('The call is refused where the expression is true.'),
})

const terminating = z
  .strictObject({
    targets: z
      .array(
        z.strictObject({
          prefix: wireName().describe('What stands before the names of its tools, as in prefix-tool.'),
          ...targetShape(),
          tools: toolNames().default(['*']).describe('Its tools that clients see; a * at the end stands for any rest.'),
        }),
      )
      .min(1)
      .max(64)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['prefix'] })
      .describe('The servers behind this one. Each has exactly one of backendRef and peer.'),
    era: z
      .enum(['both', 'legacy', 'modern'])
      .default('both')
      .describe('The revisions of MCP that clients may speak: with a session (legacy), without (modern).'),
    guardrails: z
      .array(guardrail)
      .max(64)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('What looks at arguments and results, in this order. Each has exactly one of redact and deny.'),
    refusalForm: z
      .enum(['toolResult', 'error'])
      .default('toolResult')
      .describe('How a call is refused. toolResult: so that the model sees it. error: as an error of JSON-RPC.'),
  })
  .describe('This relay is the server: one endpoint for the tools of many.')

const authentication = z
  .strictObject({
    clientCertificate: z
      .strictObject({
        principal: z
          .enum(['subject', 'uri', 'dns'])
          .default('subject')
          .describe('Which name of the certificate is the principal.'),
      })
      .optional()
      .describe('The certificate of the client says who it is; the listener demands one.'),
    accessKey: z
      .strictObject({
        header: headerName().default('authorization').describe('The header with the key; authorization: Bearer KEY.'),
      })
      .optional()
      .describe('A key of an AccessKey says who it is.'),
    jwt: z
      .strictObject({
        issuer: httpUrl().describe('The issuer, as in iss.'),
        audiences: z
          .array(z.string().min(1).max(1_024).describe('One audience.'))
          .min(1)
          .max(16)
          .meta(SET)
          .describe('Values of aud, of which the token has one.'),
        jwksURL: httpUrl().optional().describe("The issuer's keys. Default: found through the issuer."),
        principalClaim: z.string().min(1).max(256).default('sub').describe('The claim that is the principal.'),
        groupsClaim: z.string().min(1).max(256).default('groups').describe('The claim with its groups.'),
      })
      .optional()
      .describe('A token of an OAuth issuer says who it is.'),
  })
  .describe('How clients prove who they are; any of those given. Absent: nobody has to.')

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
        'must be a path that begins with "/": segments of letters, digits, "-", ".", "_" and "~", no trailing slash, such as /search',
      )
      .describe('The HTTP path of this route on the MCP listener, matched whole.'),
    transparent: transparent.optional(),
    terminating: terminating.optional(),
    authentication: authentication.optional(),
    principals: z
      .array(namePattern())
      .max(256)
      .meta(SET)
      .optional()
      .describe(
        'Who may use this route; a * at the end of a name stands for any rest. Absent: whoever has proved who it is.',
      ),
    captureHeaders: z
      .array(headerName())
      .max(16)
      .meta(SET)
      .default([])
      .describe('Names of request headers whose values are recorded with the call.'),
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
  .describe('What a relay offers to its clients under one path: exactly one of transparent and terminating.')

export type MeshRouteSpec = z.output<typeof meshRouteSpec>
export type MeshRoute = Resource<'MeshRoute', MeshRouteSpec>
