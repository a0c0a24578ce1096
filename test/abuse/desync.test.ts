import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { type MeshHere, startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { inTime } from '../integration/at-most-once/in-time.ts'
import { modernCall } from '../integration/clients.ts'
import { causewayOf, replied } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'

/** Servers, or proxies before them, that are wrong below HTTP: what one call left on a connection must not answer another. */

const QUICK_MS = 6_000
let server: Server
let mesh: MeshHere
let http: HttpClient
const sockets = new Set<Socket>()
/** What is written for one request, whose id stands in it. */
let write: (socket: Socket, id: string) => void

const json = (text: string, extra = '') =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${extra}\r\n${text}`

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (octets) => {
      text += octets.toString()
      const id = /"jsonrpc":"2.0","id":(\d+)[\s\S]*\}\}$/.exec(text)?.[1]
      if (id === undefined) return
      text = ''
      write(socket, id)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  mesh = await startMeshHere({ backends: { raw: `http://127.0.0.1:${port}/mcp` } })
  http = new HttpClient(Number(new URL(mesh.endpoint('raw')).port))
})

afterAll(async () => {
  http.close()
  await mesh.stop()
  for (const socket of sockets) socket.destroy()
  server.close()
})

async function call(id: number) {
  const { body, headers } = modernCall('x', {}, id)
  return replied(await inTime(http.post(body, headers, '/raw/mcp'), `the end of call ${id}`, QUICK_MS))
}

describe('connections to servers', () => {
  it.each<[string, (id: string) => string]>([
    ['a second response that nobody asked for', (id) => json(resultOf(id)) + json(resultOf('2', '"smuggled"'))],
    ['octets behind the announced length', (id) => `${json(resultOf(id))}${resultOf('2', '"smuggled"')}`],
    [
      'a response behind the last chunk',
      (id) => {
        const text = resultOf(id)
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
        return `${head}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n${json(resultOf('2', '"smuggled"'))}`
      },
    ],
  ])('%s answers no later call (class: response smuggling)', async (_name, response) => {
    write = (socket, id) => socket.write(id === '1' ? response(id) : json(resultOf(id, '"own"')))
    expect((await call(1)).text).toBe(resultOf('1'))
    for (const id of [2, 2, 2]) expect((await call(id)).text).toBe(resultOf('2', '"own"'))
  })

  it.each<[string, (socket: Socket, id: string) => void]>([
    ['no HTTP', (socket) => socket.write('hello\r\n\r\n')],
    ['a status of rubbish', (socket) => socket.write('HTTP/1.1 abc OK\r\n\r\n')],
    ['both a length and chunks', (socket, id) => socket.write(json(resultOf(id), 'transfer-encoding: chunked\r\n'))],
    ['two lengths that differ', (socket, id) => socket.write(json(resultOf(id), 'content-length: 3\r\n'))],
    ['a head that never ends', (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`)],
    ['a head that is cut', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: appl')],
    ['a body that is cut', (socket, id) => socket.end(json(resultOf(id)).slice(0, -3))],
    ['nothing', (socket) => socket.end()],
  ])('a server that says %s: one typed error, delivery unknown, and the next call works', async (_name, how) => {
    write = (socket, id) => (id === '1' ? how(socket, id) : socket.write(json(resultOf(id))))
    expect(causewayOf((await call(1)).text)).toMatchObject({ code: 'NotDelivered', delivery: 'unknown' })
    expect((await call(2)).text).toBe(resultOf('2'))
  })

  it('a body that ends with its connection is whole', async () => {
    write = (socket, id) => socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${resultOf(id)}`)
    expect((await call(1)).text).toBe(resultOf('1'))
  })

  it('HTTP/1.0 is understood', async () => {
    write = (socket, id) => socket.end(json(resultOf(id)).replace('HTTP/1.1', 'HTTP/1.0'))
    expect((await call(1)).text).toBe(resultOf('1'))
  })
})
