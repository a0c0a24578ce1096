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

/** server-everything stands behind a web framework, and the edge behind none. */
const FRAMEWORK: readonly Allowed[] = [
  {
    difference: /: response header (x-powered-by|access-control-[a-z-]+|vary|etag): .* became absent$/,
    because: "of the server's own web framework; the edge answers CORS itself, for the origins of its route",
  },
]

const STREAMS: readonly Allowed[] = [
  {
    difference: /: response header content-type: "text\/event-stream" became "application\/json"$/,
    because: 'a response before which nothing came is sent as JSON',
  },
  {
    difference: /: response header (cache-control|x-accel-buffering): .* became absent$/,
    because: 'they are for event streams',
  },
  {
    difference: /: (event ids|event names|retry|comments): /,
    because: 'the edge numbers the events of its own streams',
  },
  {
    difference: /: response header mcp-session-id: "session 1" became absent$/,
    because: 'the edge says the id once, where the session begins, as the specification has it',
  },
]

const CALLER: readonly Allowed[] = [
  HOST,
  {
    difference: /: request header (accept-language|sec-fetch-mode|user-agent): .* became absent$/,
    because: "of the client's own HTTP library; a route that should pass them on names them in forwardHeaders",
  },
  {
    difference: /: request header accept-encoding: "gzip, deflate" became "identity"$/,
    because: 'compression would hold events back, and the octets are the same without it',
  },
]

/** Between client and edge. */
export const NORTH: ByEra = {
  legacy: [...ADDRESS, ...CONNECTION, ...FRAMEWORK, ...STREAMS],
  modern: [...ADDRESS, ...CONNECTION],
}

/** Between far relay and server. */
export const SOUTH: ByEra = {
  legacy: [
    ...CALLER,
    {
      difference: /^GET #1: whole: "true" became "false"$/,
      because: 'the relay leaves the stream of a session that it ends; it does not wait for the server to end it',
    },
    {
      difference: /^DELETE #1: request header accept: "\*\/\*" became absent$/,
      because: 'nothing is expected of the answer but its status',
    },
  ],
  modern: CALLER,
}
