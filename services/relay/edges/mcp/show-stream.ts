import type { ServerResponse } from 'node:http'
import type { SessionStream } from '../../sessions/session-stream.ts'
import { onClientClosed } from './client-closed.ts'
import type { EdgeContext } from './edge-context.ts'
import { SseStream } from './sse-stream.ts'

export interface ShowStreamOptions {
  /** Further headers, names and values in turn. */
  readonly headers: readonly string[]
  /** The last event that the client saw, if it comes back. */
  readonly after?: number
}

/**
 * Shows a stream of a session in this response until the stream or the connection ends. A client that takes too little loses
 * the connection, not the stream.
 */
export function showStream(
  edge: EdgeContext,
  response: ServerResponse,
  stream: SessionStream,
  { headers, after }: ShowStreamOptions,
): SseStream {
  const view = new SseStream(edge, response, {
    headers,
    onRelief: () => stream.relieved(view),
    onStall: () => {
      edge.logger.warn({ stream: stream.number }, 'a client took nothing of a stream for too long')
      view.abandon()
    },
  })
  onClientClosed(response, () => stream.detach(view))
  stream.attach(view, after)
  return view
}
