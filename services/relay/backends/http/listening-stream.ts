import { GetStream } from './get-stream.ts'
import { type SessionHeaders, sessionHeaders } from './request-headers.ts'
import type { SessionStream } from './session-stream.ts'
import { isTemporary } from './status.ts'
import type { StreamEnd, StreamMessages } from './stream-connection.ts'
import { StreamPosition } from './stream-position.ts'
import type { ToldEvents } from './told-events.ts'
import type { Upstream } from './upstream.ts'

/**
 * The GET stream of Streamable HTTP, which a backend has or has not. It lives as long as its session: one that ends is
 * opened again where it stood.
 *
 * @param decided the backend has said whether there is a stream, or will not; perhaps more than once.
 * @param onUnknown the backend does not know the session any more.
 */
export function openListeningStream(
  upstream: Upstream,
  session: SessionHeaders & { readonly toldEvents: ToldEvents },
  messages: StreamMessages,
  decided: () => void,
  onUnknown: () => void,
): SessionStream {
  const { telemetry } = upstream
  let wasOpen = false
  const over = (end: StreamEnd): 'again' | 'over' => {
    decided()
    if (end.kind !== 'refused') {
      wasOpen ||= end.kind !== 'unanswered'
      if (end.kind === 'tooLarge') telemetry.dropped('too_large')
      return 'again'
    }
    const { status } = end
    if (isTemporary(status)) return 'again'
    // Shipped servers answer 400 where they mean 404, and either where they have no stream at all. Before there was one it
    // says no more than that: a session that is lost shows at what is posted next.
    const unknown = wasOpen && (status === 404 || status === 400)
    if (unknown && session.sessionId !== undefined) onUnknown()
    else telemetry.streamRefused(status)
    return 'over'
  }
  const stream = new GetStream(
    upstream,
    {
      path: upstream.path,
      headers: () => sessionHeaders(session),
      position: new StreamPosition(session.toldEvents),
    },
    {
      message: (message) => messages.message(message),
      dropped: (reason) => messages.dropped(reason),
      otherEvent: (event) => messages.otherEvent(event),
      answered: decided,
      over,
    },
  )
  stream.open()
  return stream
}
