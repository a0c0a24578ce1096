import { request as httpRequest } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { connect as connectTls } from 'node:tls'

/** @import { AgentOptions } from 'node:https' */
/** @import { Duplex } from 'node:stream' */
/** @import { ConnectionOptions } from 'node:tls' */

/** The proxy answered, and did not open the tunnel. */
export class TunnelRefusedError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`the proxy answered ${status}`)
    this.name = 'TunnelRefusedError'
    this.status = status
  }
}

/** Connections to https servers through tunnels that an HTTP proxy opens (CONNECT). */
export class TunnelAgent extends Agent {
  #proxy
  #connectTimeoutMs

  /**
   * @param {AgentOptions} options those of the connection inside the tunnel
   * @param {URL} proxy
   * @param {number} connectTimeoutMs for the tunnel
   */
  constructor(options, proxy, connectTimeoutMs) {
    super(options)
    this.#proxy = proxy
    this.#connectTimeoutMs = connectTimeoutMs
  }

  /**
   * Called by Node for every new connection.
   *
   * @override
   * @param {ConnectionOptions} options
   * @param {(error: Error | null, socket: Duplex) => void} callback
   * @returns {undefined}
   */
  createConnection(options, callback) {
    const target = `${options.host?.includes(':') ? `[${options.host}]` : options.host}:${options.port}`
    const done = /** @type {(error: Error | null, socket?: Duplex) => void} */ (callback)
    openTunnel(this.#proxy, target, this.#connectTimeoutMs, (error, socket) => {
      if (socket === undefined) done(error)
      else done(null, connectTls({ ...options, socket }))
    })
  }
}

/**
 * @param {URL} proxy
 * @param {string} target host and port
 * @param {number} timeoutMs
 * @param {(error: Error | null, socket?: Duplex) => void} callback called exactly once
 */
function openTunnel(proxy, target, timeoutMs, callback) {
  let isOver = false
  /** @type {(error: Error | null, socket?: Duplex) => void} */
  const finish = (error, socket) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    callback(error, socket)
  }
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send({
    host: bareHost(proxy),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...proxyAuthorization(proxy) },
    agent: false,
  })
  const timer = setTimeout(() => request.destroy(new Error('the proxy does not answer')), timeoutMs)
  request.once('connect', (response, socket, head) => {
    // TLS on top of it tells of every failure.
    socket.on('error', () => {})
    if (response.statusCode !== 200) {
      socket.destroy()
      finish(new TunnelRefusedError(response.statusCode ?? 0))
      return
    }
    if (head.length > 0) socket.unshift(head)
    finish(null, socket)
  })
  request.once('response', (response) => {
    response.destroy()
    finish(new TunnelRefusedError(response.statusCode ?? 0))
  })
  request.on('error', finish)
  request.end()
}

/**
 * The credentials of a proxy's URL.
 *
 * @param {URL} proxy
 * @returns {Record<string, string>}
 */
export function proxyAuthorization(proxy) {
  if (proxy.username === '') return {}
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** A host as sockets want it. @param {URL} url @returns {string} */
export function bareHost(url) {
  return url.hostname.replace(/^\[|\]$/g, '')
}
