import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isNoTls, notConnected, TransportError, wantsCertificate } from './transport-error.mjs'
import { bareHost, proxyAuthorization, TunnelAgent, TunnelRefusedError } from './tunnel.mjs'

/** @import { ClientRequest, RequestOptions } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { HttpReply, HttpRequest } from '../contract.ts' */

/**
 * @typedef {object} TransportOptions
 * @property {URL} url of the MCP endpoint, http or https
 * @property {Readonly<Record<string, string>>} headers sent with every request
 * @property {{ ca?: string, cert?: string, key?: string }} tls PEM: who vouches for the server, in place of the system's;
 *   and what we show it
 * @property {URL | undefined} proxy
 */

/** HTTP requests to one MCP endpoint. Answers may take for ever; only connecting is limited. */
export class Transport {
  #options
  #agent
  #url
  /** Whether anything of HTTP has ever come from there. */
  #hasAnswered = false

  /** @param {TransportOptions} options */
  constructor(options) {
    this.#options = options
    this.#url = options.url
    const common = { keepAlive: true, timeout: IDLE_CONNECTION_MS }
    const tls = { ...common, ...options.tls }
    const { proxy } = options
    if (this.#url.protocol === 'https:')
      this.#agent = proxy === undefined ? new HttpsAgent(tls) : new TunnelAgent(tls, proxy, CONNECT_TIMEOUT_MS)
    else this.#agent = proxy?.protocol === 'https:' ? new HttpsAgent(common) : new HttpAgent(common)
  }

  /** For people: where the requests go, without credentials or query. */
  get place() {
    return `${this.#url.origin}${this.#url.pathname}`
  }

  /**
   * Resolves with the head of the response. Follows redirects that keep method and body within the origin. Rejects with
   * TransportError, or with the reason of `signal`.
   *
   * @param {HttpRequest} request
   * @returns {Promise<HttpReply>}
   */
  async send(request) {
    let url = this.#url
    for (let hop = 0; ; hop++) {
      const reply = await this.#sendTo(url, request)
      if (reply.status !== 307 && reply.status !== 308) return reply
      const target = redirectTarget(url, reply.headers.location)
      reply.body.destroy()
      if (target.origin !== url.origin || hop === MAX_REDIRECTS)
        throw new TransportError('not_sent', `${this.place} has moved to ${target.href}; give that URL instead`)
      url = target
      // A 308 is for good: the next request need not ask again.
      if (reply.status === 308) this.#url = target
    }
  }

  close() {
    this.#agent.destroy()
  }

  /** @param {URL} url @param {HttpRequest} request @returns {Promise<HttpReply>} */
  #sendTo(url, { method, headers, body, signal }) {
    return new Promise((resolve, reject) => {
      const length = method === 'POST' ? { 'content-length': String(body?.length ?? 0) } : {}
      const start = this.#agent instanceof HttpsAgent ? httpsRequest : httpRequest
      const client = start({
        ...this.#destination(url),
        method,
        headers: { host: url.host, ...this.#options.headers, ...headers, ...length, ...this.#proxyHeaders(url) },
        agent: this.#agent,
      })
      abortWith(client, signal)
      const wasSent = watchConnection(client, this.#agent instanceof HttpsAgent)
      client.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        if (signal.aborted) reject(signal.reason)
        else reject(this.#failure(url, error, wasSent()))
      })
      client.once('response', (response) => {
        this.#hasAnswered = true
        // Its errors are met by whoever reads it; until then nobody shall be surprised by one.
        response.on('error', () => {})
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response })
      })
      client.end(body)
    })
  }

  /** @param {URL} url @returns {RequestOptions} */
  #destination(url) {
    const { proxy } = this.#options
    const path = `${url.pathname}${url.search}`
    if (proxy !== undefined && url.protocol === 'http:')
      return { host: bareHost(proxy), port: proxy.port || undefined, path: `${url.origin}${path}` }
    return { host: bareHost(url), port: url.port || undefined, path }
  }

  /** @param {URL} url @returns {Record<string, string>} */
  #proxyHeaders(url) {
    const { proxy } = this.#options
    return proxy !== undefined && url.protocol === 'http:' ? proxyAuthorization(proxy) : {}
  }

  /** @param {URL} url @param {NodeJS.ErrnoException} error @param {boolean} sent @returns {TransportError} */
  #failure(url, error, sent) {
    if (error instanceof TunnelRefusedError) {
      const todo = error.status === 407 ? '; put its credentials into HTTPS_PROXY' : '; check HTTPS_PROXY and NO_PROXY'
      return new TransportError('not_sent', `${error.message} when asked for ${url.host}${todo}`)
    }
    if (wantsCertificate(error)) {
      // The server has thrown away whatever came with it.
      const message = `${url.host} wants a client certificate; give it with --cert FILE and --key FILE`
      return new TransportError('not_sent', message)
    }
    const { proxy } = this.#options
    // Where the proxy itself is spoken to in clear, what is no TLS comes from the server behind it.
    const isOfServer = proxy === undefined || (proxy.protocol === 'http:' && isNoTls(error))
    if (!sent) return new TransportError('not_sent', notConnected(isOfServer ? url : proxy, error))
    const mayBeTls = url.protocol === 'http:' && proxy === undefined && !this.#hasAnswered
    const hint = mayBeTls ? '; it may speak TLS, try https://' : ''
    return new TransportError(
      'unknown',
      `the connection to ${url.host} broke before the answer: ${error.message}${hint}`,
    )
  }
}

/**
 * Node's own option `signal` would bind the signal to the connection too, which serves other requests after this one; and
 * a reason would be thrown by a connection that has just been handed back, as nobody listens there.
 *
 * @param {ClientRequest} client
 * @param {AbortSignal} signal
 */
function abortWith(client, signal) {
  const abort = () => client.destroy()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  client.once('close', () => signal.removeEventListener('abort', abort))
}

/**
 * Limits the time of connecting and keeps an eye on whether a request may have left.
 *
 * @param {ClientRequest} client
 * @param {boolean} secure
 * @returns {() => boolean}
 */
function watchConnection(client, secure) {
  let sent = false
  const timer = setTimeout(() => client.destroy(new Error('the server does not answer')), CONNECT_TIMEOUT_MS)
  const connected = () => {
    sent = true
    clearTimeout(timer)
  }
  client.once('close', () => clearTimeout(timer))
  client.once('socket', (/** @type {Socket} */ socket) => {
    // A peer that vanished without a word is noticed on streams that stay silent for hours.
    socket.setKeepAlive(true, PROBE_AFTER_MS)
    if (client.reusedSocket) connected()
    else socket.once(secure ? 'secureConnect' : 'connect', connected)
  })
  return () => sent
}

/** @param {URL} from @param {string | undefined} location @returns {URL} */
function redirectTarget(from, location) {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new TransportError('not_sent', `${from.origin}${from.pathname} redirects to nowhere; check the URL`)
  return new URL(location, from)
}

const CONNECT_TIMEOUT_MS = 10_000
/** CARRIAGE section 4: shorter than any server's, so that it seldom closes what we are about to use. */
const IDLE_CONNECTION_MS = 4_000
const PROBE_AFTER_MS = 30_000
const MAX_REDIRECTS = 5
