import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { PROTOCOL } from '@causeway/npamp'
import {
  BackendSchema as BackendMessage,
  type BackendSchema,
  Dial,
  type HttpServerSchema,
  McpTransport,
  PeerSchema as PeerMessage,
  type PeerSchema,
  PostQuantum,
  Profile,
  RelaySchema as RelayMessage,
  type RelaySchema,
  RouteSchema as RouteMessage,
  type RouteSchema,
} from '@causeway/rpc'
import type { HeldResource } from '../../../services/relay/config-store/contract.ts'
import { heldMessage } from '../../fixtures/mesh/held-resources.ts'

/** The fields of a message that are not as they are by default. */
type Fields<Schema extends DescMessage> = Extract<MessageInitShape<Schema>, { readonly $typeName?: never }>

/** Resources as a control plane sends them, with what a control plane would have set. */

export const LIMITS = {
  maxBodyOctets: 4_194_304n,
  maxHeaderOctets: 16_384n,
  maxReplyOctets: 16_777_216n,
  sessionsPerRoute: 1_000n,
  sessionsPerPrincipal: 1_000n,
  streamsPerSession: 16n,
  eventStoreEvents: 1_000n,
  eventStoreOctets: 1_048_576n,
  eventStoreTotalOctets: 67_108_864n,
  idleSessionMs: 3_600_000n,
  drainMs: 2_000n,
  halfOpenHandshakes: 256n,
  halfOpenPerSource: 64n,
}

export function relaySettings(name: string, changes: Fields<typeof RelaySchema>): HeldResource {
  return heldMessage(name, { kind: 'relay', message: create(RelayMessage, { limits: LIMITS, ...changes }) })
}

export function httpBackend(
  name: string,
  url: string,
  server: Fields<typeof HttpServerSchema> = {},
  changes: Fields<typeof BackendSchema> = {},
): HeldResource {
  const value = { url, transport: McpTransport.STREAMABLE_HTTP, ...server }
  const message = create(BackendMessage, {
    wireName: name.replace('default/', ''),
    server: { case: 'http', value },
    ...changes,
  })
  return heldMessage(name, { kind: 'backend', message })
}

export function heldBackend(name: string, server: Fields<typeof BackendSchema>['server']): HeldResource {
  const wireName = name.replace('default/', '')
  const message = create(BackendMessage, { wireName, ...(server === undefined ? {} : { server }) })
  return heldMessage(name, { kind: 'backend', message })
}

export function peer(name: string, handle: string, changes: Fields<typeof PeerSchema> = {}): HeldResource {
  const message = create(PeerMessage, {
    identity: { case: 'handles', value: { handles: [handle] } },
    dial: Dial.ON_DEMAND,
    profile: Profile.STANDARD,
    associations: 2,
    postQuantum: PostQuantum.PREFER,
    protocols: [PROTOCOL.MCP],
    maxFrameOctets: 16_777_216n,
    sessionsPerPeer: 256,
    ...changes,
  })
  return heldMessage(name, { kind: 'peer', message })
}

export function route(name: string, changes: Fields<typeof RouteSchema>): HeldResource {
  const message = create(RouteMessage, { path: `/${name.replace('default/', '')}`, trustAnnotations: true, ...changes })
  return heldMessage(name, { kind: 'route', message })
}

export const toBackend = (name: string) => ({ case: 'backend', value: name }) as const

export const toPeer = (name: string, target: string) => ({ case: 'peer', value: { peer: name, target } }) as const

export const header = (name: string, value: string) => ({
  name,
  value: { source: { case: 'literal', value } as const },
})

export const file = (path: string) => ({ location: { case: 'path', value: path } }) as const
