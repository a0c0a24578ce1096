import { z } from 'zod'
import { FIELD_FACTS } from './facts.ts'

/** A host name: labels of letters, digits, `-`; `_` because container networks have it. */
const LABEL = '[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?'
const HOST_NAME = `${LABEL}(\\.${LABEL})*\\.?`

const PORT = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})'

/** Every spelling of RFC 4291 section 2.2 but the one with a dotted tail. */
const H = '[0-9A-Fa-f]{1,4}'
const IPV6 = `((${H}:){7}${H}|(${H}:){1,7}:|(${H}:){1,6}:${H}|(${H}:){1,5}(:${H}){1,2}|(${H}:){1,4}(:${H}){1,3}|(${H}:){1,3}(:${H}){1,4}|(${H}:){1,2}(:${H}){1,5}|${H}:(:${H}){1,6}|:((:${H}){1,7}|:))`

const AUTHORITY_HOST = `(${HOST_NAME}|\\[${IPV6}\\])`

/** Where a listener binds: a host name or an address, an IPv6 address without brackets. */
export const listenHost = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(
      new RegExp(`^(${HOST_NAME}|${IPV6})$`),
      'must be a host name, an IPv4 address or an IPv6 address without brackets, such as 127.0.0.1',
    )

/** 0 lets the system choose. */
export const listenPort = () => z.int().min(0).max(65_535)

/** A name that a TLS certificate carries. */
export const serverName = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(new RegExp(`^${HOST_NAME}$`), 'must be a host name, such as mesh.example.com')

/** What an HTTP client may write into `Host`: a host, with a port where it matters. */
export const allowedHost = () =>
  z
    .string()
    .min(1)
    .max(260)
    .regex(
      new RegExp(`^${AUTHORITY_HOST}(:${PORT})?$`),
      'must be host or host:port, an IPv6 address in brackets, such as mcp.example.com',
    )

/** What a browser may write into `Origin` (RFC 6454 section 7). */
export const allowedOrigin = () =>
  z
    .string()
    .min(1)
    .max(300)
    .regex(
      new RegExp(`^[a-z][-+.a-z0-9]*://${AUTHORITY_HOST}(:${PORT})?$`),
      'must be an origin: scheme://host or scheme://host:port, without a path, such as https://app.example.com',
    )

/** Digest 01: the npamp scheme has no default port. Neither user information nor path, query or fragment. */
export const npampUrl = () =>
  z
    .string()
    .min(1)
    .max(300)
    .regex(
      new RegExp(`^npamp://${AUTHORITY_HOST}:${PORT}$`),
      'must be npamp://host:port: the port is required, and there is no user name, path, query or fragment, such as npamp://mesh.example.com:8443',
    )

/** Credentials come by Secret, never in a URL; a fragment never reaches a server. */
export const httpUrl = () =>
  z
    .string()
    .min(1)
    .max(2048)
    .regex(
      new RegExp(`^https?://${AUTHORITY_HOST}(:${PORT})?(/[!$-;=@-Z_a-z~%]*)?(\\?[!$-;=?@-Z_a-z~%/]*)?$`),
      'must be http://host[:port][/path][?query] or https://..., without user name, password, fragment or blanks, such as https://mcp.example.com/mcp',
    )
    .register(FIELD_FACTS, { secretQuery: true })

/** What others call a listener from outside; what a route's path is put behind. */
export const publicUrl = () =>
  z
    .string()
    .min(1)
    .max(1024)
    .regex(
      new RegExp(`^https?://${AUTHORITY_HOST}(:${PORT})?(/[-._~A-Za-z0-9]+)*/?$`),
      'must be http://host[:port][/path] or https://..., without query and fragment, such as https://mcp.example.com',
    )

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `${OCTET}(\\.${OCTET}){3}`

/** A block of addresses (RFC 4632, RFC 4291 section 2.3); an address alone is a block of one. */
export const addressBlock = () =>
  z
    .string()
    .min(1)
    .max(64)
    .regex(
      new RegExp(`^(${IPV4}(/(3[0-2]|[12]?[0-9]))?|${IPV6}(/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`),
      'must be a block of addresses such as 10.0.0.0/8 or fd00::/8, or one address',
    )

/** The host and port of a URL that `npampUrl` accepts; an IPv6 address without brackets. */
export function parseNpampUrl(url: string): { host: string; port: number } {
  const colon = url.lastIndexOf(':')
  const host = url.slice('npamp://'.length, colon)
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(url.slice(colon + 1)) }
}
