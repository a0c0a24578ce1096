import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  checkServerIdentity,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls'
import { ClosedError, LimitError, MisuseError, type NpampError } from '../../errors.ts'
import { utf8 } from '../../wire/utf8.ts'
import type { Transport } from '../contract.ts'
import { clientContext } from './client-context.ts'
import { ALPN, type TlsMode } from './options.ts'
import { endpoint, socketInfo } from './socket-info.ts'
import { SocketTransport } from './socket-transport.ts'
import { alpnRefused, transportError } from './tls-errors.ts'

export interface DialOptions {
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  /** `clientContext` of the same `tls`; made anew when absent. */
  readonly context?: SecureContext
  /** For name lookup, TCP and TLS together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/**
 * As TLS sends it, and as a DataView, which node copies into an array of its own. Out of a list it makes a piece of its
 * shared pool, of which every open connection would then keep 64 KiB.
 */
const ALPN_OFFER = new DataView(Uint8Array.of(ALPN.length, ...utf8(ALPN)).buffer)

/**
 * Opens TCP, then TLS 1.3 with ALPN `n-pamp/2`. Rejects with an NpampError: LimitError HANDSHAKE_TIMEOUT,
 * IncompatibleError ALPN or TLS, AuthenticationError IDENTITY_REFUSED (a certificate), ClosedError TRANSPORT_LOST, CLOSED
 * (aborted); MisuseError ARGUMENT for options that cannot work.
 */
export function dialTls(options: DialOptions): Promise<Transport> {
  const where = endpoint(options.host, options.port)
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) throw aborted(where)
    const socket = openSocket(options, where)
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      socket.off('error', onError).off('close', onClose)
      finish()
    }
    const fail = (error: NpampError) =>
      settle(() => {
        // Whatever the socket still has to say is about a connection that nobody has.
        socket.on('error', () => {})
        socket.destroy()
        reject(error)
      })
    const onError = (error: Error) => fail(transportError(error, where))
    const onClose = () => fail(new ClosedError('TRANSPORT_LOST', `${where}: closed during the TLS handshake`))
    const onAbort = () => fail(aborted(where))
    const timer = setTimeout(() => {
      fail(new LimitError('HANDSHAKE_TIMEOUT', `${where}: no TLS connection within ${options.timeoutMs} ms`))
    }, options.timeoutMs)
    options.signal?.addEventListener('abort', onAbort, { once: true })
    socket.on('error', onError).on('close', onClose)
    socket.once('secureConnect', () => {
      // WIRE-001: a server that ignored the offer has negotiated nothing.
      if (socket.alpnProtocol !== ALPN) fail(alpnRefused(socket.alpnProtocol, where))
      else settle(() => resolve(new SocketTransport(socket, socketInfo(socket))))
    })
  })
}

function openSocket(options: DialOptions, where: string): TLSSocket {
  const secureContext = options.context ?? clientContext(options.tls)
  try {
    return tlsConnect({
      host: options.host,
      port: options.port,
      secureContext,
      ALPNProtocols: ALPN_OFFER,
      ...peerCheck(options.tls),
    })
  } catch (error) {
    // Only options can fail here: a port out of range.
    throw new MisuseError('ARGUMENT', `${where}: ${error instanceof Error ? error.message : 'bad options'}`)
  }
}

function peerCheck(tls: TlsMode): ConnectionOptions {
  if (tls.mode === 'pinned') return { rejectUnauthorized: false }
  const { serverName } = tls
  return {
    rejectUnauthorized: true,
    // SNI carries no addresses (RFC 6066), yet the certificate is checked against either.
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate),
  }
}

function aborted(where: string): ClosedError {
  return new ClosedError('CLOSED', `${where}: dialling was aborted`)
}
