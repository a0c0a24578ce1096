import { TLV } from '../codepoints/tlv-types.ts'
import { NpampError } from '../errors.ts'
import { compareOctets } from '../wire/octets.ts'
import { cancellationOf, carriageOf } from './carriage.ts'
import type { RouteContext } from './contract.ts'
import type { BridgeEvent } from './events.ts'
import type { Incoming } from './exchanges.ts'
import { idKey } from './jsonrpc/id.ts'
import { attempt, type FrameEvent, openFrame, relatedExchange } from './open-frame.ts'
import type { BridgeState } from './state.ts'

/** A BRIDGE_NOTIFY: nothing is ever sent because of one (BRG-026, RPC-020). */
export function receiveNotification(state: BridgeState, frame: FrameEvent): BridgeEvent | undefined {
  state.counters.notificationsReceived += 1
  const opened = openFrame(state, frame)
  if (opened instanceof NpampError) return drop(state, 'malformed_notification')
  const { envelope, foreign } = opened.payload
  const { protocolId, method } = envelope
  if (protocolId === 0) return drop(state, 'malformed_notification')
  // REG-007, REG-008
  const rules = state.carries(protocolId) ? carriageOf(protocolId) : undefined
  if (rules === undefined) return drop(state, 'unsupported_notification')
  if (envelope.contentType !== rules.contentType) return drop(state, 'malformed_notification')
  const message = attempt(() => rules.incomingNotification(foreign, method, state.scan))
  if (message instanceof NpampError) return drop(state, 'malformed_notification')

  const { route } = opened.extensions
  const related = relatedExchange(state, opened.extensions.related)
  const octets = message.text
  const cancellation = cancellationOf(protocolId)
  // Only the requester cancels; a notification of that name about a request of ours is the protocol's own business.
  if (method !== cancellation?.method || related?.side === 'mine')
    return { type: 'notification', protocolId, method, octets, message, route, related }
  const cancelled = related ?? findTheirs(state, cancellation.requestId(message), route)
  if (cancelled === undefined || cancelled.state !== 'open') return drop(state, 'unknown_cancel')
  cancelled.state = 'cancelled'
  return { type: 'cancel', exchange: cancelled, octets, message, route }
}

/**
 * By the id of the request inside its session (CARRIAGE section 5). None where two fit, as where a peer that names no
 * session has both clients and servers.
 */
function findTheirs(
  state: BridgeState,
  requestId: Uint8Array | undefined,
  route: RouteContext | undefined,
): Incoming | undefined {
  const session = route?.session
  // Without a session the ids of many clients meet here, except from a peer that knows no RouteContext.
  if (requestId === undefined || (session === undefined && state.peerKnows.has(TLV.ROUTE_CONTEXT))) return undefined
  const key = idKey(requestId)
  let found: Incoming | undefined
  for (const exchange of state.exchanges.allTheirs()) {
    const open = exchange.state === 'open' && exchange.idKey === key
    if (!open || !sameSession(exchange.route?.session, session)) continue
    if (found !== undefined) return undefined
    found = exchange
  }
  return found
}

function sameSession(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : compareOctets(a, b) === 0
}

function drop(state: BridgeState, reason: Parameters<BridgeState['drop']>[0]): undefined {
  state.drop(reason)
}
