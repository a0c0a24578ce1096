/** Names that never become headers of a request to a backend, whatever it lists in `acceptHeaders`. */
const NEVER_ACCEPTED: ReadonlySet<string> = new Set([
  // CARRIAGE section 1: credentials and identity of one leg are never passed to another.
  'authorization',
  'cookie',
  'cookie2',
  'set-cookie',
  'host',
  'mcp-session-id',
  // Hop-by-hop.
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // What the relay at the backend says itself.
  'accept',
  'accept-encoding',
  'last-event-id',
  'mcp-method',
  'mcp-protocol-version',
])

/** `name` in lower case. */
export function isNeverAccepted(name: string): boolean {
  return NEVER_ACCEPTED.has(name) || name.startsWith('content-') || name.startsWith('proxy-')
}
