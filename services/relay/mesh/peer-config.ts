import { isDeepStrictEqual } from 'node:util'
import type { ProfileCode } from '@causeway/npamp'
import type { PostQuantum, TlsMode } from '@causeway/npamp/transports'

/** One MeshPeer as the mesh runs it: a plain table made from the validated resource. */
export interface PeerConfig {
  /** `namespace/name`, for logs, metrics and grants. */
  readonly name: string
  readonly identity: PeerIdentity
  /** Tried in order. */
  readonly addresses: readonly PeerAddress[]
  readonly dial: 'onDemand' | 'always' | 'never'
  readonly profile: ProfileCode
  /** How many associations are dialled for; the per-session ones of a foreign peer come on top. */
  readonly associations: number
  readonly tls: PeerTls
  /** protocol_ids, most preferred first. */
  readonly protocols: readonly number[]
  /** Of a peer that sends no HELLO. */
  readonly assumedProtocols: readonly number[] | undefined
  /** Wire name of the backend for requests of this peer that name no target. */
  readonly defaultBackend: string | undefined
  readonly maxFrameOctets: number
  /** Associations for calls without RouteContext: one per legacy session (CARRIAGE section 1). */
  readonly sessionsPerPeer: number
  /** A statement of the peer's own names its next key, which is then pinned beside the present one (CONTROL section 5). */
  readonly acceptSuccessors: boolean
}

export type PeerIdentity =
  | { readonly mode: 'handles'; readonly handles: readonly string[] }
  /** Whoever can sign; the configuration asked for it twice. */
  | { readonly mode: 'any' }

export interface PeerAddress {
  readonly host: string
  readonly port: number
}

/** The outer TLS when dialling (CARRIAGE section 12). */
export type PeerTls = { readonly postQuantum: PostQuantum } & (
  | { readonly mode: 'pinned' }
  /** `ca`: PEM bundle. `serverName`: the host of the address when absent. */
  | { readonly mode: 'ca'; readonly ca: Uint8Array; readonly serverName: string | undefined }
)

/** Whether whoever is known by `after` is somebody else: none of the keys of before is left. */
export function pinsAnother({ identity: before }: PeerConfig, { identity: after }: PeerConfig): boolean {
  if (after.mode === 'any') return false
  return before.mode === 'any' || !after.handles.some((handle) => before.handles.includes(handle))
}

/** Whether associations would be dialled in another way, or when they were not before. */
export function dialsOtherwise(before: PeerConfig, after: PeerConfig): boolean {
  return !isDeepStrictEqual(wayOf(before), wayOf(after))
}

function wayOf({ addresses, dial, profile, tls }: PeerConfig): unknown {
  return { addresses, dials: dial !== 'never', profile, tls }
}

/** Whether associations would begin with another HELLO. */
export function announcesOtherwise(before: PeerConfig, after: PeerConfig): boolean {
  return !isDeepStrictEqual(helloOf(before), helloOf(after))
}

function helloOf({ protocols, assumedProtocols, maxFrameOctets }: PeerConfig): unknown {
  return { protocols, assumedProtocols, maxFrameOctets }
}

export function tlsTowards({ host }: PeerAddress, tls: PeerTls): TlsMode {
  return tls.mode === 'pinned' ? tls : { ...tls, serverName: tls.serverName ?? host }
}
