import { isIP } from 'node:net'

export interface AdmissionOptions {
  /** The address that the listener was bound to. */
  readonly boundHost: string
  /** `host` (any port) or `host:port`. */
  readonly allowedHosts: readonly string[]
  /** Whole origins. */
  readonly allowedOrigins: readonly string[]
  /** By which clients know the listener: its host and its origin are served. */
  readonly publicUrl?: URL | undefined
}

export interface Arrival {
  /** As the client named it. */
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Whether the client came over TLS. */
  readonly secure: boolean
  /** Whole origins that the route serves besides those of the listener. */
  readonly routeOrigins: readonly string[] | undefined
}

export type AdmissionFault = 'host' | 'origin'

/**
 * Keeps web pages away from a relay that is near the browser: a page whose name was rebound to the relay's address sends
 * its own name as Host, and any page sends its Origin. Served are the local host, the address listened on, the public name and
 * what the configuration lists; a page may always call where it came from. An Origin is needed by nobody.
 */
export class Admission {
  readonly #boundHost: string
  readonly #anyAddress: boolean
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  /** Almost all requests name the same host. */
  #lastAdmittedHost: string | undefined

  constructor(options: AdmissionOptions) {
    const bound = options.boundHost.toLowerCase()
    this.#boundHost = isIP(bound) === 6 ? `[${bound}]` : bound
    this.#anyAddress = bound === '0.0.0.0' || bound === '::'
    const { allowedHosts, allowedOrigins, publicUrl } = options
    // Behind the public name the port is whatever the way to it makes of it.
    const hosts = publicUrl === undefined ? allowedHosts : [...allowedHosts, publicUrl.hostname]
    const origins = publicUrl === undefined ? allowedOrigins : [...allowedOrigins, publicUrl.origin]
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()))
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()))
  }

  /** What is wrong with `Host` and `Origin` of a request, if anything. */
  fault({ host, origin, secure, routeOrigins }: Arrival): AdmissionFault | undefined {
    if (host === undefined || !this.#admitsHost(host)) return 'host'
    if (origin === undefined) return undefined
    const lower = origin.toLowerCase()
    if (this.#admitsOrigin(lower) || lower === `${secure ? 'https' : 'http'}://${host.toLowerCase()}`) return undefined
    return routeOrigins?.some((served) => served.toLowerCase() === lower) === true ? undefined : 'origin'
  }

  #admitsHost(host: string): boolean {
    if (host === this.#lastAdmittedHost) return true
    const admitted = this.#judgeHost(host.toLowerCase())
    if (admitted) this.#lastAdmittedHost = host
    return admitted
  }

  #judgeHost(host: string): boolean {
    const name = hostNameOf(host)
    if (name === undefined) return false
    if (isLocal(name) || name === this.#boundHost || this.#hosts.has(host) || this.#hosts.has(name)) return true
    // A listener on every address was listened to on this one; an address cannot be rebound, only a name can.
    return this.#anyAddress && isAddress(name)
  }

  #admitsOrigin(origin: string): boolean {
    if (this.#origins.has(origin)) return true
    // `null`, the origin of a sandboxed page, has no host and is refused.
    const authority = /^https?:\/\/([^/]*)$/.exec(origin)?.[1]
    const name = authority === undefined ? undefined : hostNameOf(authority)
    return name !== undefined && isLocal(name)
  }
}

/** The name in `name`, `name:port` or `[v6]:port`; undefined when it is none of these. */
function hostNameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::\d{1,5})?$/.exec(host)?.[1]
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}

function isAddress(name: string): boolean {
  return isIP(name) === 4 || name.startsWith('[')
}
