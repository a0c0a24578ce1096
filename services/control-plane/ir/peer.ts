import type { FileIr } from './file.ts'

/** A remote N-PAMP endpoint. */
export interface PeerIr {
  readonly kind: 'peer'
  readonly identity: PeerIdentityIr
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  readonly dial: 'onDemand' | 'always' | 'never'
  readonly profile: 'Standard' | 'High' | 'Sovereign'
  readonly associations: number
  /** Undefined: the certificate is not validated. */
  readonly tls: PeerTlsIr | undefined
  readonly postQuantum: 'observe' | 'prefer' | 'require'
  readonly protocols: readonly ProtocolIr[]
  /** Undefined: the peer says itself, in its HELLO. */
  readonly assumedProtocols: readonly ProtocolIr[] | undefined
  /** Wire name. */
  readonly defaultBackend: string | undefined
  readonly maxFrameOctets: number
  readonly sessionsPerPeer: number
  readonly acceptSuccessors: boolean
}

export type ProtocolIr = 'mcp' | 'a2a'

export type PeerIdentityIr =
  /** PeerHandles, one of which the peer must have. */
  | { readonly handles: readonly string[] }
  /** Whoever can sign. */
  | 'any'

export interface PeerTlsIr {
  readonly ca: FileIr
  /** Undefined: the host of the address. */
  readonly serverName: string | undefined
}
