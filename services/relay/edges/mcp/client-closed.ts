import type { ServerResponse } from 'node:http'

/**
 * Calls back once, when the connection under a response is gone or the response is complete. A response that waits behind
 * others on its connection (HTTP pipelining) hears nothing of either itself, so the connection is listened to. The answer
 * ends the listening.
 */
export function onClientClosed(response: ServerResponse, onClosed: () => void): () => void {
  if (response.socket !== null) {
    response.once('close', onClosed)
    return () => response.off('close', onClosed)
  }
  const { socket } = response.req
  // As many as a client chooses to send ahead.
  socket.setMaxListeners(0)
  const unlisten = (): void => {
    response.off('close', closed)
    socket.off('close', closed)
  }
  // The connection may serve others for hours yet: nothing of this one stays with it.
  const closed = (): void => {
    unlisten()
    onClosed()
  }
  response.once('close', closed)
  socket.once('close', closed)
  return unlisten
}
