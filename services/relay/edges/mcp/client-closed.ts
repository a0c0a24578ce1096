import type { ServerResponse } from 'node:http'

/**
 * Calls back when the connection under a response is gone, or once the response is complete. A response that waits behind
 * others on its connection (HTTP pipelining) hears nothing of either itself, so the connection is listened to. The answer
 * ends the listening.
 */
export function onClientClosed(response: ServerResponse, onClosed: () => void): () => void {
  response.once('close', onClosed)
  if (response.socket !== null) return () => response.off('close', onClosed)
  const { socket } = response.req
  // As many as a client chooses to send ahead.
  socket.setMaxListeners(0)
  socket.once('close', onClosed)
  return () => {
    response.off('close', onClosed)
    socket.off('close', onClosed)
  }
}
