import { nodeProvider } from '../crypto/node/index.ts'
import {
  Association,
  type AssociationOptions,
  CLOSE_CODE,
  type CloseCause,
  ClosedError,
  LimitError,
  MisuseError,
  type NpampError,
  PROFILE,
  type ProfileCode,
  type Transport,
} from '../index.ts'
import { type Clock, dialTls, systemClock, type TlsMode } from '../transports/index.ts'
import { parseAddress } from './address.ts'
import { McpAssociation } from './association.ts'
import { DEFAULT_MAX_OPEN_REQUESTS, initiating, type OwnOptions } from './association-options.ts'
import { ClientTransport } from './client-transport.ts'
import type { McpTransport } from './transport.ts'

export interface ConnectPeerOptions extends OwnOptions {
  /** `npamp://host:port` of a relay, or of a server that `listenMcp` embeds. */
  readonly address: string
  /** PeerHandles, one of which the peer must prove. */
  readonly peer: string | readonly string[]
  /** Default Standard; nothing less is ever fallen back to. */
  readonly profile?: ProfileCode
  /** Default: `pinned`, X25519MLKEM768 preferred. */
  readonly tls?: TlsMode
  /** For TCP, TLS, handshake and HELLO together; default 5,000. */
  readonly timeoutMs?: number
  /** Aborts the dial; no use afterwards. */
  readonly signal?: AbortSignal
}

export interface ConnectMcpOptions extends ConnectPeerOptions {
  /** The name of the MCP server at the peer: of a MeshBackend there. Left out with `assumeMcp`. */
  readonly target?: string
}

/** One association with a peer, for as many targets as there are. */
export interface McpPeer {
  /**
   * A transport to one target; each has its own session and its own ids. Throws MisuseError STATE for a second one at a peer
   * of `assumeMcp`.
   */
  connect(target?: string): McpTransport
  /** Every transport is closed with it. Resolves when the association is over. */
  close(): Promise<void>
}

/**
 * A transport from an MCP client to a server behind a relay, without a relay of its own: `client.connect(await
 * connectMcp(...))`. Closing it closes its association.
 *
 * @throws NpampError: MisuseError for unusable options, else why there is no association (families `incompatible`,
 * `authentication`, `limit`, `closed`).
 */
export async function connectMcp({ target, ...options }: ConnectMcpOptions): Promise<McpTransport> {
  const association = await associate(options)
  return clientTransport(association, target, () => association.close(CLOSE_CODE.NORMAL, 'the transport was closed'))
}

/** An association that several transports share. Throws as `connectMcp` does. */
export async function connectPeer(options: ConnectPeerOptions): Promise<McpPeer> {
  return peerOver(await associate(options))
}

export function peerOver(association: McpAssociation): McpPeer {
  return {
    connect: (target) => {
      // Nothing would tell two conversations apart (CARRIAGE section 1).
      if (association.parties > 0 && !association.carriesRouteContext)
        throw new MisuseError('STATE', 'this peer understands one transport at a time on an association')
      return clientTransport(association, target)
    },
    close: () => association.close(CLOSE_CODE.NORMAL, 'closed'),
  }
}

async function associate(options: ConnectPeerOptions): Promise<McpAssociation> {
  const { tls = DEFAULT_TLS, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
  const clock = systemClock()
  const startedAt = clock.now()
  const transport = await dialTls({ ...parseAddress(options.address), tls, timeoutMs, ...(signal && { signal }) })
  const restMs = Math.max(1, timeoutMs - (clock.now() - startedAt))
  return associateOver(transport, clock, { ...options, timeoutMs: restMs })
}

/** Handshake and HELLO over a transport that is open; both within `timeoutMs`. */
export async function associateOver(
  transport: Transport,
  clock: Clock,
  options: Omit<ConnectPeerOptions, 'address' | 'tls'>,
): Promise<McpAssociation> {
  const { peer, profile = PROFILE.STANDARD, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
  const handles = typeof peer === 'string' ? [peer] : peer
  const own = initiating(options, nodeProvider(), { handles, profile, handshakeTimeoutMs: timeoutMs })
  const core = coreOver(transport, own, clock)
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clock.clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const association = new McpAssociation({
      core,
      clock,
      maxOpenRequests: DEFAULT_MAX_OPEN_REQUESTS,
      onReady: () => {
        settle()
        resolve(association)
      },
      onClosed: (cause) => {
        settle()
        reject(errorOf(cause, core.established !== undefined))
      },
    })
    const onAbort = () => association.abort(new ClosedError('CLOSED', 'connecting was aborted'))
    const timer = clock.setTimeout(() => {
      association.abort(new LimitError('HANDSHAKE_TIMEOUT', `no association within ${timeoutMs} ms`))
    }, timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    association.open(transport)
    if (signal?.aborted) onAbort()
  })
}

function coreOver(transport: Transport, options: AssociationOptions, clock: Clock): Association {
  try {
    return new Association(options, clock.now())
  } catch (error) {
    // A profile that this library does not implement.
    transport.destroy()
    throw error
  }
}

/** One client's view of one target of the peer. */
function clientTransport(association: McpAssociation, target?: string, onOver?: () => Promise<void>): McpTransport {
  const provider = nodeProvider()
  const random = (octets: number) => provider.random(octets)
  return new ClientTransport(association, { target, random, ...(onOver && { onOver }) })
}

const DEFAULT_TLS: TlsMode = { mode: 'pinned', postQuantum: 'prefer' }
/** CARRIAGE section 1. */
const DEFAULT_TIMEOUT_MS = 5_000

/** The peer authenticates last, and one that refuses says nothing: to this end, a connection that ends at once. */
function errorOf(cause: CloseCause, authenticated: boolean): NpampError {
  if (cause.by === 'local') return new ClosedError('CLOSED', cause.reason)
  const hint = authenticated ? ', right after the handshake; does it list the handle of this identity?' : ''
  if (cause.by === 'peer') return new ClosedError('PEER_CLOSED', `the peer closed with code ${cause.code}${hint}`)
  const { error } = cause
  return error.code === 'TRANSPORT_LOST' ? new ClosedError('TRANSPORT_LOST', `${error.message}${hint}`) : error
}
