import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EdgeHarness, edgeHarness, legacy } from '../../../../test/fixtures/edge/edge-harness.ts'

let harness: EdgeHarness
const sockets: Socket[] = []
beforeEach(async () => {
  harness = await edgeHarness({ limits: { maxHeaderOctets: 2_000 } })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  harness.client.close()
  await harness.edge.stop(0)
})

function dial(): Socket {
  const socket = connect(harness.listener.address.port, '127.0.0.1')
  sockets.push(socket)
  return socket
}

async function answerTo(octets: string) {
  const socket = dial()
  socket.write(octets)
  const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n')
  return { head, error: JSON.parse(body).error }
}

const HEAD = 'Host: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n'

describe('what is no HTTP request', () => {
  it.each([
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that there is not', `FOO /mcp HTTP/1.1\r\n${HEAD}\r\n`],
    ['two lengths', `POST /mcp HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
    ['two framings', `POST /mcp HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx`],
    ['chunks that are none', `POST /mcp HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('is 400 with an error that says so, and the connection ends: %s', async (_, octets) => {
    const { head, error } = await answerTo(octets)
    expect(head).toMatch(/^HTTP\/1.1 400 /)
    expect(head).toContain('Connection: close')
    expect(error).toMatchObject({ code: -32600, data: { causeway: { code: 'InvalidRequest', delivery: 'not_sent' } } })
    expect(harness.metrics.value('causeway_http_responses_total', { status: '400' })).toBe(1)
  })

  it.each([
    ['less than its body', -3],
    ['its body, and more follows', 0],
  ])('takes back a request whose Content-Length is %s', async (_, difference) => {
    const body = legacy('tools/call')
    const length = body.length + difference
    const { head, error } = await answerTo(`POST /mcp HTTP/1.1\r\n${HEAD}Content-Length: ${length}\r\n\r\n${body}"}`)
    expect(head).toMatch(/^HTTP\/1.1 400 /)
    expect(error.data.causeway.delivery).toBe('not_sent')
    await harness.client.post(legacy('notifications/x').replace('"id":1,', ''))
    expect(harness.target.calls).toEqual([])
  })

  it('is 431 where the headers are too large, naming the limit', async () => {
    const { head, error } = await answerTo(`POST /mcp HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(3_000)}\r\n\r\n`)
    expect(head).toMatch(/^HTTP\/1.1 431 /)
    expect(error.message).toContain('2000 octets (limits.maxHeaderBytes of the relay)')
    expect(error.data.causeway.code).toBe('HeadersTooLarge')
  })

  it.each(['before', 'in the middle of'])(
    'is no answer to the request that came first: %s its answer',
    async (when) => {
      const { target } = harness
      const body = legacy('tools/call')
      const socket = dial()
      socket.write(`POST /mcp HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`)
      const call = await target.callNumber(0)
      const answer = textOf(socket).catch((error: Error) => error.message)
      if (when !== 'before') {
        call.notify('{"n":1}')
        await new Promise((resolve) => socket.once('data', resolve))
      }
      socket.write('rubbish\r\n\r\n')
      expect(await answer).not.toMatch(/HTTP\/1.1 400/)
      await target.until(() => call.resumes > 0)
    },
  )
})

describe('a request that is HTTP', () => {
  it('without Host is 400', async () => {
    const { head, error } = await answerTo('POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 400 /)
    expect(error.message).toContain('no Host')
  })

  it('with an unknown expectation is 417, where it would have passed', async () => {
    const request = (path: string) =>
      `POST ${path} HTTP/1.1\r\n${HEAD}Expect: tea\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
    expect((await answerTo(request('/mcp'))).head).toMatch(/^HTTP\/1.1 417 /)
    expect((await answerTo(request('/nothing'))).head).toMatch(/^HTTP\/1.1 404 /)
  })
})
