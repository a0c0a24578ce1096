import { POST_HEADERS, sessionHeaders } from '../mcp/request-headers.mjs'
import { RefusedError } from './failure.mjs'
import { discard, sendOk } from './wire.mjs'

/** @import { Message } from '../contract.ts' */
/** @import { BridgeParts } from './bridge.mjs' */
/** @import { LegacySession } from './session.mjs' */

/**
 * Posts a notification or an answer of the host's, which nobody answers; what goes wrong is told on standard error.
 * Resolves when it has its status, so that nothing overtakes it (CARRIAGE section 6). Never rejects.
 *
 * @param {Message} message
 * @param {BridgeParts} parts
 */
export async function postOneWay(message, parts) {
  const session = await parts.sessions.ready()
  try {
    await post(message, session, parts)
  } catch (error) {
    if (!(error instanceof RefusedError) || !error.sessionLost || session?.id === undefined)
      return parts.log(`${nameOf(message)} was not delivered: ${error instanceof Error ? error.message : error}`)
    await again(message, session, parts)
  }
}

/**
 * The session is lost. What was said about its own traffic means nothing to another one.
 *
 * @param {Message} message
 * @param {LegacySession} lost
 * @param {BridgeParts} parts
 */
async function again(message, lost, parts) {
  try {
    const renewed = await parts.sessions.renew(lost)
    const concernsLost = message.kind !== 'notification' || ABOUT_TRAFFIC.has(message.method)
    if (!concernsLost) await post(message, renewed, parts)
  } catch (error) {
    parts.log(`${nameOf(message)} was not delivered: ${error instanceof Error ? error.message : error}`)
  }
}

/** @param {Message} message @param {LegacySession | undefined} session @param {BridgeParts} parts */
async function post(message, session, { transport, scope, sessions }) {
  const task = scope.begin(STATUS_MS)
  try {
    const headers = { ...POST_HEADERS, ...sessionHeaders(session) }
    discard(await sendOk(transport, { method: 'POST', headers, body: message.octets, signal: task.signal }))
    if (message.kind === 'notification' && message.method === 'notifications/initialized') sessions.opened(message)
  } finally {
    task.close()
  }
}

/** @param {Message} message @returns {string} */
function nameOf(message) {
  return message.kind === 'notification' ? message.method : `a ${message.kind}`
}

const ABOUT_TRAFFIC = new Set(['notifications/cancelled', 'notifications/progress'])
const STATUS_MS = 30_000
