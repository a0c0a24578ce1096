import { findAt, jsonKind, type ScannedMessage } from '@causeway/npamp'
import type { CallReply, CallRequest, Era } from '../../exchanges/contract.ts'
import type { BackendClock } from '../contract.ts'

/**
 * Which era the server speaks, as far as its answers told, and what a client of the other one hears. Over HTTP a client
 * tells that from the server's own status; a process has none, so the answer is given for it (CARRIAGE section 8).
 */
export class EraOfServer {
  readonly #clock: BackendClock
  #known: { readonly era: Era; readonly at: number } | undefined

  constructor(clock: BackendClock) {
    this.#clock = clock
  }

  /** Forgotten after a while: the program may have been replaced. */
  get known(): Era | undefined {
    const known = this.#known
    return known !== undefined && this.#clock.now() - known.at < KNOWN_FOR_MS ? known.era : undefined
  }

  /** The answer for a client that this server cannot serve; undefined where it can, or nobody knows. */
  refusalOf(request: CallRequest): CallReply | undefined {
    // Asked again each time, as this is how an era is told.
    if (request.era !== 'modern' || request.method === DISCOVER || this.known !== 'legacy') return undefined
    return eraReply(request, 'legacy', 'not_sent')
  }

  /**
   * Reads the era from an answer to `request`, whose message is `asked`. The reply to give instead, where this is one to a
   * client of the other era.
   */
  learn(request: CallRequest, asked: ScannedMessage, answer: ScannedMessage): CallReply | undefined {
    if (isDiscover(request)) return this.#discovered(request, asked, answer)
    if (request.era !== 'legacy' || request.method !== 'initialize') return undefined
    const code = codeOf(answer)
    // Every server of the legacy era knows this method, and none of them that code.
    if (code !== METHOD_NOT_FOUND && code !== VERSION_UNSUPPORTED) return undefined
    return eraReply(request, 'modern', 'unknown')
  }

  /** Digest 10 section 3: a result or -32022 means modern, any other error legacy. */
  #discovered(request: CallRequest, asked: ScannedMessage, answer: ScannedMessage): CallReply | undefined {
    const code = codeOf(answer)
    const isModern = code === undefined || MODERN_CODES.has(code)
    if (code === INVALID_PARAMS && !claimsItsEra(asked)) return undefined
    this.#known = { era: isModern ? 'modern' : 'legacy', at: this.#clock.now() }
    return isModern ? undefined : eraReply(request, 'legacy', 'unknown')
  }
}

export function isDiscover(request: CallRequest): boolean {
  return request.era === 'modern' && request.method === DISCOVER
}

/** What a client of one era hears of a server of the other, in the words in which HTTP servers say it. */
export function eraReply(
  { era: client, idToken, requestId }: Asked,
  server: Era | undefined,
  delivery: 'not_sent' | 'unknown',
): CallReply {
  const eras = { client, server: server ?? 'unknown' }
  return errorReply(idToken, {
    code: -32000,
    message: `The server does not speak the ${client} era of MCP`,
    data: { causeway: { code: 'EraUnsupported', delivery, requestId, eras, hint: HINTS[server ?? 'legacy'] } },
  })
}

/**
 * What a client of the legacy era hears that sent a request outside a session to a server of its own era, or to one whose
 * era nobody knows. It names both eras too, as clients tell them from such an answer (CARRIAGE section 8).
 */
export function noSessionReply({ era, idToken, requestId }: Asked, server: Era | undefined): CallReply {
  const eras = { client: era, server: server ?? 'unknown' }
  const hint = 'send Mcp-Session-Id, as initialize gave it'
  return errorReply(idToken, {
    code: -32600,
    message: 'the request names no session; begin with initialize',
    data: { causeway: { code: 'InvalidRequest', delivery: 'not_sent', requestId, eras, hint } },
  })
}

function errorReply(idToken: CallRequest['idToken'], error: object): CallReply {
  const octets = Buffer.concat([HEAD, idToken, Buffer.from(`,"error":${JSON.stringify(error)}}`)])
  return { kind: 'error', octets, status: 400, parameters: new Map() }
}

type Asked = Pick<CallRequest, 'era' | 'idToken' | 'requestId'>

const HINTS: Readonly<Record<Era, string>> = {
  legacy: 'open a session with initialize, in a revision up to 2025-11-25',
  modern: 'use revision 2026-07-28 or later, without initialize',
}

/** Without both of these a modern server says -32602 too (digest 10 section 1). */
function claimsItsEra({ text, params }: ScannedMessage): boolean {
  if (params === undefined) return false
  const version = findAt(text, params, '_meta', 'io.modelcontextprotocol/protocolVersion')
  const capabilities = findAt(text, params, '_meta', 'io.modelcontextprotocol/clientCapabilities')
  if (version === undefined || capabilities === undefined) return false
  return jsonKind(text, version) === 'string' && jsonKind(text, capabilities) === 'object'
}

/** The error's code as it is written. */
function codeOf({ text, error }: ScannedMessage): string | undefined {
  if (error === undefined) return undefined
  const code = findAt(text, error, 'code')
  return code === undefined ? '' : Buffer.from(text.subarray(code.start, code.end)).toString('latin1')
}

const DISCOVER = 'server/discover'
const METHOD_NOT_FOUND = '-32601'
const INVALID_PARAMS = '-32602'
const VERSION_UNSUPPORTED = '-32022'
const MODERN_CODES: ReadonlySet<string> = new Set(['-32020', '-32021', VERSION_UNSUPPORTED])
const KNOWN_FOR_MS = 10 * 60_000
const HEAD = Buffer.from('{"jsonrpc":"2.0","id":')
