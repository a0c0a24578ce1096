import { isModernRevision } from '../../exchanges/era.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import { onClientClosed } from './client-closed.ts'
import { headerText, type Place } from './delivery.ts'
import type { EdgeContext } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import * as refusals from './refusals.ts'
import { sendEmpty } from './respond.ts'
import { showStream } from './show-stream.ts'

/**
 * GET: opens the stream of a session for what belongs to no request, or goes on with the stream that Last-Event-ID names
 * (CARRIAGE section 9). The newest connection of a stream wins: a client whose old one died unnoticed must get through.
 */
export function openStream(edge: EdgeContext, place: Place): EdgeError | undefined {
  const session = sessionOf(edge, place)
  if ('name' in session) return session
  const lastEventId = headerText(place.request.headers['last-event-id'])
  const found =
    lastEventId === undefined ? { stream: session.general(), after: undefined } : session.resume(lastEventId)
  if (found === 'over') return refusals.streamOver()
  if (found === 'lost') return refusals.eventNotHeld()
  const { stream, after } = found
  const limit = edge.limits.streamsPerSession
  if (!session.mayOpen(stream, limit)) return refusals.tooManyStreams(limit)
  const { response } = place
  const view = showStream(edge, response, stream, { headers: [], ...(after !== undefined && { after }) })
  session.opened(view)
  const opened = { response, belongsToCall: stream !== session.general(), hangUp: () => stream.hangUp() }
  edge.openedStreams.add(opened)
  onClientClosed(response, () => {
    edge.openedStreams.delete(opened)
    session.closed(view, edge.clock.now())
  })
  // So that the client has its head, whether or not there is anything to say.
  if (!stream.complete) view.comment()
  return undefined
}

/** DELETE: the client ends its session. */
export function endSession(edge: EdgeContext, place: Place): EdgeError | undefined {
  const session = sessionOf(edge, place)
  if ('name' in session) return session
  sendEmpty(edge, place.response, 200)
  // First: what its server still asks then ends as part of the session, and is not answered one by one.
  session.route.target.endSession(session.session, 'client')
  if (edge.sessions.forget(session)) edge.metrics.sessionEnded('client')
  return undefined
}

/** What only the legacy era has. */
function sessionOf(edge: EdgeContext, { request, route, principal }: Place): NorthboundSession | EdgeError {
  const version = headerText(request.headers['mcp-protocol-version'])
  if (version !== undefined && isModernRevision(version)) return refusals.methodNotAllowed('POST')
  const id = headerText(request.headers['mcp-session-id'])
  if (id === undefined) return refusals.noSession()
  return edge.sessions.find(id, route, principal) ?? refusals.sessionUnknown()
}
