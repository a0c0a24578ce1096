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
    // Shipped servers that give a session one stream answer 400 to the next while they have not noticed that the last is gone,
    // some for minutes. Others mean 404 by it; that shows at what is posted next, and costs nobody a session that lives.
    if (isTemporary(status) || (wasOpen && status === 400)) return 'again'
    // Before there was a stream, 404 says no more than that there is none.
    if (wasOpen && status === 404 && session.sessionId !== undefined) onUnknown()
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
