import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { httpUrl } from '../fields/host.ts'
import { headerName, wireName } from '../fields/names.ts'
import { reference, relayRefs } from '../fields/reference.ts'
import type { Resource } from './kind.ts'

const mcp = z
  .strictObject({
    url: httpUrl().describe('The Streamable HTTP endpoint of the MCP server.'),
  })
  .describe('An MCP server.')

export const meshBackendSpec = z
  .strictObject({
    relayRefs: relayRefs(),
    meshName: wireName().optional().describe("The target's name on the wire. Default: the object's name."),
    mcp,
    peers: z
      .array(reference('a MeshPeer'))
      .max(1024)
      .default([])
      .describe('The peers that may reach this backend. Empty: none, only routes of the same relays.'),
    acceptHeaders: z
      .array(headerName())
      .max(64)
      .default([])
      .describe(
        'Names of service parameters, beyond those of MCP itself, that become HTTP headers here. A route of a relay ' +
          'forwards none yet: this acts on what other implementations send over the mesh.',
      ),
    limits: z
      .strictObject({
        connectTimeout: duration().optional().describe('How long connecting may take. Default: no limit of ours.'),
        firstHeaderTimeout: duration()
          .optional()
          .describe('How long the first header of an answer may take. Default: no limit of ours.'),
        maxConcurrency: z
          .int()
          .min(1)
          .max(65_536)
          .optional()
          .describe('The most requests at once. Default: no limit of ours.'),
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
