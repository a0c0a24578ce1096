/** CARRIAGE section 1: credentials and identity of one leg are never passed to another. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'cookie2', 'set-cookie'])

/** What belongs to one connection or to one body; hop-by-hop. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What the relay at the backend says itself. */
const OF_THE_RELAY: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'last-event-id',
  'mcp-method',
  'mcp-protocol-version',
  'mcp-session-id',
])

/** Names in lower case, here and below. */
function holdsCredentials(name: string): boolean {
  return CREDENTIALS.has(name) || name.startsWith('proxy-')
}

export function isOfOneConnection(name: string): boolean {
  return OF_ONE_CONNECTION.has(name) || name.startsWith('content-') || name.startsWith('proxy-')
}

export function isOfTheRelay(name: string): boolean {
  return OF_THE_RELAY.has(name)
}

/** Names that never become headers of a request to a backend, whatever it lists in `acceptHeaders`. */
export function isNeverAccepted(name: string): boolean {
  return holdsCredentials(name) || isOfOneConnection(name) || isOfTheRelay(name)
}

/** The same in CEL, about a string `name`; for the rules that an API server runs. */
export const CEL = {
  holdsCredentials: `(${oneOf(CREDENTIALS)} || name.startsWith('proxy-'))`,
  isOfOneConnection: `(${oneOf(OF_ONE_CONNECTION)} || name.startsWith('content-') || name.startsWith('proxy-'))`,
  isOfTheRelay: oneOf(OF_THE_RELAY),
  isNeverAccepted:
    `${oneOf(new Set([...CREDENTIALS, ...OF_ONE_CONNECTION, ...OF_THE_RELAY]))}` +
    ` || name.startsWith('content-') || name.startsWith('proxy-')`,
} as const

function oneOf(names: ReadonlySet<string>): string {
  return `name in [${[...names].map((name) => `'${name}'`).join(', ')}]`
}
