import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type EdgeHarness, edgeHarness, legacy } from '../../../../test/fixtures/edge/edge-harness.ts'

let harness: EdgeHarness
let socket: Socket
let received = ''
beforeEach(async () => {
  harness = await edgeHarness({ limits: { stallMs: 1_000, keepAliveMs: 5_000 } })
  received = ''
  socket = connect(harness.listener.address.port, '127.0.0.1')
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
})
afterEach(async () => {
  socket.destroy()
  await harness.edge.stop(0)
})

function post(body: string): string {
  const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Accept: */*']
  return `${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const idsAnswered = () => [...received.matchAll(/"id":(\d)/g)].map(([, id]) => id)

it('answers pipelined requests in their order, however long the first takes', async () => {
  const { target, clock } = harness
  socket.write([1, 2, 3].map((id) => post(legacy('tools/call', {}, id))).join(''))
  const third = await target.callNumber(2)
  third.result(`{"jsonrpc":"2.0","id":3,"result":"${'x'.repeat(200_000)}"}`)
  target.calls[1]?.result()
  // Its turn has not come: that nobody takes it is no fault of the client's.
  clock.advance(3_000)
  target.calls[0]?.result()
  await expect.poll(() => idsAnswered().length).toBe(3)
  expect(idsAnswered()).toEqual(['1', '2', '3'])
  expect(received).toContain('x'.repeat(200_000))
})

it('an event stream that waits for its turn loses nothing', async () => {
  const { target, clock } = harness
  socket.write([1, 2].map((id) => post(legacy('tools/call', {}, id))).join(''))
  const second = await target.callNumber(1)
  second.notify(`{"n":"${'x'.repeat(100_000)}"}`)
  second.notify('{"n":"last"}')
  clock.advance(3_000)
  target.calls[0]?.result()
  await expect.poll(() => received).toContain('last')
  second.result()
  await expect.poll(() => idsAnswered().length).toBe(2)
})

it('refuses what comes on a connection where a hundred wait, and takes again once they have their answers', async () => {
  const { target, metrics } = harness
  socket.write(Array.from({ length: 105 }, (_, id) => post(legacy('tools/call', {}, id))).join(''))
  await expect.poll(() => metrics.value('causeway_http_responses_total', { status: '503' })).toBe(4)
  expect(target.calls).toHaveLength(101)
  for (const call of target.calls) call.result()
  await expect.poll(() => received.match(/"code":"QuotaExceeded","delivery":"not_sent"/g)).toHaveLength(4)
  expect(received).toContain('100 requests wait on this connection for the one before them, a fixed limit')
  socket.write(post(legacy('tools/call', {}, 105)))
  expect(await target.callNumber(101)).toBeDefined()
})
