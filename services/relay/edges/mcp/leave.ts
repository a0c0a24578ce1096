import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { EdgeContext } from './edge-context.ts'

/**
 * Closes one listener of an edge that goes on: what is open on its connections ends by itself, in `limitMs` at the latest.
 * A client that only listens is hung up on, as it comes back to where the relay listens now.
 */
export async function leave(
  server: Server,
  edge: EdgeContext,
  connections: ReadonlySet<Socket>,
  limitMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const isHere = ({ req }: ServerResponse): boolean => connections.has(req.socket)
  for (const { response } of edge.open) if (isHere(response)) closeWith(response, server)
  for (const opened of [...edge.openedStreams]) {
    if (!isHere(opened.response)) continue
    closeWith(opened.response, server)
    if (!opened.belongsToCall) opened.hangUp()
  }
  const timer = edge.clock.setTimeout(() => server.closeAllConnections(), limitMs)
  await closed
  edge.clock.clearTimeout(timer)
}

/** A connection whose answer began before this moment was promised to be kept. */
function closeWith(response: ServerResponse, server: Server): void {
  response.once('close', () => server.closeIdleConnections())
}
