import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { onClientClosed } from './client-closed.ts'

/** Responses to requests that were sent ahead on one connection, in order. */
async function pipelined(count: number) {
  const server = createServer()
  const responses: ServerResponse[] = []
  const all = new Promise<void>((resolve) => {
    server.on('request', (_request, response) => {
      if (responses.push(response) === count) resolve()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  client.resume().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count))
  await all
  const stop = async (): Promise<void> => {
    client.destroy()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { responses, client, stop }
}

it('tells once that a response is complete, and leaves nothing behind on its connection', async () => {
  const listenersLeft: unknown[] = []
  for (const count of [2, 30]) {
    const { responses, stop } = await pipelined(count)
    let told = 0
    for (const response of responses) onClientClosed(response, () => told++)
    for (const response of responses) response.end()
    await expect.poll(() => told).toBe(count)
    listenersLeft.push(responses[0]?.req.socket.listenerCount('close'))
    await stop()
    expect(told).toBe(count)
  }
  expect(listenersLeft[1]).toBe(listenersLeft[0])
})

it('tells once that the connection is gone, also of responses whose turn never came; not where nobody listens any more', async () => {
  const { responses, client, stop } = await pipelined(3)
  const told = [0, 0, 0]
  const unlisten = responses.map((response, index) =>
    onClientClosed(response, () => told.splice(index, 1, (told[index] ?? 0) + 1)),
  )
  unlisten[2]?.()
  client.destroy()
  await expect.poll(() => told).toEqual([1, 1, 0])
  await stop()
  expect(told).toEqual([1, 1, 0])
})
