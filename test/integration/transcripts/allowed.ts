import type { Allowed } from './compare.ts'

type ByEra = Readonly<Record<'legacy' | 'modern', readonly Allowed[]>>

const HOST: Allowed = { difference: /: request header host: /, because: 'the caller calls another address' }

const ADDRESS: readonly Allowed[] = [
  HOST,
  { difference: /: path: "\/mcp" became "\/server\/mcp"$/, because: 'the route has a path of its own' },
]

const CONNECTION: readonly Allowed[] = [
  { difference: /: response header (keep-alive|connection): /, because: 'about one connection only' },
  {
    difference: /: response header (transfer-encoding|content-length): /,
    because: 'framing of one connection: what is whole is sent with its length',
  },
]

/** Between client and edge. */
export const NORTH: ByEra = {
  legacy: [...ADDRESS, ...CONNECTION],
  modern: [...ADDRESS, ...CONNECTION],
}

const CALLER: readonly Allowed[] = [
  HOST,
  {
    difference: /: request header (accept-language|sec-fetch-mode|user-agent): .* became absent$/,
    because: "of the client's own HTTP library; a route that should pass them on names them in forwardHeaders",
  },
  {
    difference: /: request header accept-encoding: "gzip, deflate" became absent$/,
    because: 'compression would hold events back, and the octets are the same without it',
  },
]

/** Between far relay and server. */
export const SOUTH: ByEra = {
  legacy: CALLER,
  modern: CALLER,
}
