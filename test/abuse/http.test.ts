import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { INITIALIZED, textsOf, toolCall } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import { inPieces, postHead, RawConnection } from './raw-http.ts'
import { sharedWorld } from './world.ts'

const world = sharedWorld()
const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
const connections: RawConnection[] = []

afterEach(() => {
  for (const connection of connections.splice(0)) connection.close()
})

async function raw(octets: string): Promise<RawConnection> {
  const connection = await RawConnection.open(world.url)
  connections.push(connection)
  await connection.write(octets)
  return connection
}

const whole = (text: string) => text.endsWith('}') || text.endsWith('0\r\n\r\n')
const CALL = toolCall('1', 'any')

describe('HTTP as old and odd clients write it', () => {
  it('HTTP/1.0: no chunks, and the connection ends with the answer, stream or not', async () => {
    const client = await world.client()
    world.server.tool('stream', ({ arrival, id }) => arrival.stream().event(NOTE).event(resultOf(id)).end())
    for (const name of ['any', 'stream']) {
      const body = toolCall('1', name)
      const connection = await raw(
        `${postHead(world.url, client.headers, 'HTTP/1.0')}content-length: ${body.length}\r\n\r\n${body}`,
      )
      const text = await connection.until(() => false)
      expect(text).toMatch(/^HTTP\/1\.[01] 200 /)
      expect(text.toLowerCase()).not.toContain('transfer-encoding')
      expect(text).toContain(resultOf('1'))
    }
  })

  it('a chunked body without Content-Length, cut anywhere', async () => {
    const client = await world.client()
    const chunks = [...CALL].map((octet) => `1;x="y"\r\n${octet}\r\n`).join('')
    const connection = await raw(
      `${postHead(world.url, client.headers)}transfer-encoding: chunked\r\n\r\n${chunks}0\r\nt: x\r\n\r\n`,
    )
    expect(await connection.until(whole)).toContain(resultOf('1'))
  })

  it('Expect: 100-continue is answered before the body', async () => {
    const client = await world.client()
    const head = `${postHead(world.url, client.headers)}expect: 100-continue\r\ncontent-length: ${CALL.length}\r\n\r\n`
    const connection = await raw(head)
    expect(await connection.until((text) => text.endsWith('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    await connection.write(CALL)
    expect(await connection.until(whole)).toContain(resultOf('1'))
  })

  it.each([
    ['header names in any case', { 'MCP-SESSION-ID': undefined }],
    ['Content-Type with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['Content-Type in capitals', { 'content-type': 'Application/JSON;Charset="UTF-8"' }],
    ['Accept */*', { accept: '*/*' }],
    ['no Accept', { accept: undefined }],
    ['Accept with weights', { accept: 'text/event-stream;q=0.1, application/json;q=0.9, */*;q=0' }],
    ['Connection: close', { connection: 'close' }],
    ['Accept-Encoding gzip, br', { 'accept-encoding': 'gzip, deflate, br' }],
    ['a foreign Cookie and Authorization', { cookie: 'a=b', authorization: 'Bearer secret' }],
  ])('%s', async (name, changes) => {
    const client = await world.client()
    const shouted = Object.fromEntries(Object.entries(client.headers).map(([key, value]) => [key.toUpperCase(), value]))
    const headers = name.startsWith('header names') ? shouted : { ...client.headers, ...changes }
    const text = await inPieces(world.url, headers, [Buffer.from(CALL)])
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain(resultOf('1'))
    expect(text.toLowerCase()).not.toContain('content-encoding')
    const arrived = world.server.http.arrivals.at(-1)
    expect(arrived?.headers).not.toHaveProperty('authorization')
    expect(arrived?.headers).not.toHaveProperty('cookie')
  })

  it.each<[string, object, number]>([
    ['Content-Type text/plain', { 'content-type': 'text/plain' }, 415],
    ['no Content-Type', { 'content-type': undefined }, 415],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }, 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
    ['Accept of JSON only', { accept: 'application/json' }, 406],
    ['Accept of text/html', { accept: 'text/html' }, 406],
    ['an Origin of elsewhere (class: DNS rebinding)', { origin: 'https://evil.example' }, 403],
    ['a Host of elsewhere', { host: 'evil.example' }, 403],
    ['the session id twice', { 'mcp-session-id': 'x, x' }, 404],
    ['headers of 20 KiB', { 'x-long': 'x'.repeat(20 * 1024) }, 431],
  ])('%s is refused, with a body that says why', async (_name, changes, status) => {
    const client = await world.client()
    const text = await inPieces(world.url, { ...client.headers, ...changes }, [Buffer.from(CALL)])
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).error.data.causeway.code).toBeTypeOf('string')
  })

  it('the session id of one client twice in one request finds no session (class: Mcp-Session-Id sent twice)', async () => {
    const client = await world.client()
    const head = postHead(world.url, client.headers)
    const text = await (
      await raw(
        `${head}mcp-session-id: ${client.session}\r\nconnection: close\r\ncontent-length: ${CALL.length}\r\n\r\n${CALL}`,
      )
    ).until(() => false)
    expect(text).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('every session id is given once, and on the answer to initialize only', async () => {
    const init = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
    const text = await inPieces(world.url, {}, [Buffer.from(init)])
    expect(text.match(/^mcp-session-id:/gim)).toHaveLength(1)
  })

  it.each([
    ['Content-Length and chunks together', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', `content-length: 5\r\ncontent-length: 6\r\n\r\n${CALL}`],
    ['an unknown transfer coding', 'transfer-encoding: gzip\r\n\r\nxxxxx'],
    ['a blank before the colon', `content-length : ${CALL.length}\r\n\r\n${CALL}`],
    ['a chunk size of rubbish', 'transfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['a folded header', `x: a\r\n b\r\ncontent-length : 1\r\n\r\n1`],
  ])('%s: 400 and the connection ends (class: request smuggling)', async (_name, rest) => {
    const client = await world.client()
    const connection = await raw(`${postHead(world.url, client.headers)}${rest}`)
    expect(await connection.until(() => false)).toMatch(/^HTTP\/1\.1 400 /)
    expect(connection.over).toBe(true)
  })

  it('requests that are pipelined are answered in their order', async () => {
    const client = await world.client()
    const one = (id: string) => {
      const body = toolCall(id, 'any')
      return `${postHead(world.url, client.headers)}content-length: ${body.length}\r\n\r\n${body}`
    }
    const connection = await raw(['1', '2', '3'].map(one).join(''))
    const text = await connection.until((all) => all.includes('"id":3'))
    expect([...text.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3'])
  })

  it('a client that sends half of its body and goes away reaches no server', async () => {
    const client = await world.client()
    const body = toolCall('"half"', 'any')
    const connection = await raw(
      `${postHead(world.url, client.headers)}content-length: ${body.length}\r\n\r\n${body.slice(0, 40)}`,
    )
    connection.close()
    expect((await client.call('2', 'any')).status).toBe(200)
    expect(world.server.http.arrivals.some(({ text }) => text.includes('"half"'))).toBe(false)
  })
})

describe('targets and methods', () => {
  const path = () => new URL(world.url).pathname

  it.each<[string, () => string, number]>([
    ['with a query', () => `${path()}?token=x&a=b`, 200],
    ['in absolute form', () => world.url, 200],
    ['with a trailing slash', () => `${path()}/`, 404],
    ['with a doubled slash', () => `/${path()}`, 404],
    ['in capitals', () => path().toUpperCase(), 404],
    ['with dots', () => `${path()}/../odd`, 404],
    ['escaped', () => path().replace('m', '%6d'), 404],
  ])('a target %s', async (_name, target, status) => {
    const client = await world.client()
    const head = postHead(world.url, client.headers).replace(path(), target())
    const connection = await raw(`${head}content-length: ${CALL.length}\r\nconnection: close\r\n\r\n${CALL}`)
    const text = await connection.until(() => false)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    // Never a redirect: clients make the POST a GET, or drop its headers.
    expect(text.toLowerCase()).not.toContain('location:')
  })

  it.each(['PUT', 'PATCH', 'HEAD', 'TRACE'])('%s is answered 405 with Allow', async (method) => {
    const { http, path: at } = await world.client()
    const answer = await http.request(method, at).head()
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toMatch(/POST/)
  })

  it('GET and DELETE without a session, and of the modern era, are refused and open nothing', async () => {
    const client = await world.client()
    expect((await client.http.events({}, client.path)).status).toBe(400)
    expect((await client.http.events({ 'mcp-protocol-version': '2026-07-28' }, client.path)).status).toBe(405)
    const modern = { ...client.headers, 'mcp-protocol-version': '2026-07-28' }
    expect((await client.http.request('DELETE', client.path, modern).head()).status).toBe(405)
    expect((await client.call('1', 'any')).status).toBe(200)
  })
})

describe('streams as proxies see them (class: buffering, compression, keep-alive)', () => {
  it('each event leaves when it came, uncompressed, and says so to whoever stands between', async () => {
    const client = await world.client()
    let next: (() => void) | undefined
    world.server.tool('slowly', ({ arrival, id }) => {
      const stream = arrival.stream().event(NOTE)
      next = () => stream.event(resultOf(id)).end()
    })
    const answer = await client.http.open(
      toolCall('1', 'slowly'),
      { ...client.headers, 'accept-encoding': 'gzip' },
      client.path,
    )
    expect(textsOf(await answer.text((text) => text.includes('notifications/message')))).toEqual([NOTE])
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    expect(answer.headers['cache-control']).toMatch(/no-cache/)
    expect(answer.headers['cache-control']).toMatch(/no-transform/)
    expect(answer.headers).not.toHaveProperty('content-encoding')
    expect(answer.headers).not.toHaveProperty('content-length')
    next?.()
    expect(textsOf((await answer.whole()).body).at(-1)).toBe(resultOf('1'))
  })

  it('a body of exactly the limit passes, one octet more is 413 that names it, however it is framed', async () => {
    const client = await world.client()
    const limit = 4 * 1024 * 1024
    const fill = (octets: number) => {
      const empty = toolCall('1', 'any', '{"s":""}')
      return empty.replace('"s":""', `"s":"${'x'.repeat(octets - empty.length)}"`)
    }
    expect((await client.post(fill(limit))).status).toBe(200)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await client.post(fill(limit + 1), headers)
      expect([answer.status, answer.body.includes(String(limit))]).toEqual([413, true])
    }
  })

  it('a notification is answered 202 without body or type, and the connection lives', async () => {
    const client = await world.client()
    const body = INITIALIZED
    const connection = await raw(`${postHead(world.url, client.headers)}content-length: ${body.length}\r\n\r\n${body}`)
    const accepted = await connection.until((text) => text.endsWith('\r\n\r\n'))
    expect(accepted).toMatch(/^HTTP\/1\.1 202 /)
    expect(accepted.toLowerCase()).toContain('content-length: 0')
    expect(accepted.toLowerCase()).not.toContain('content-type')
    await connection.write(`${postHead(world.url, client.headers)}content-length: ${CALL.length}\r\n\r\n${CALL}`)
    expect(await connection.until((text) => text.includes('"result"'))).toContain(resultOf('1'))
  })

  it('three hundred connections that say nothing keep nobody from being served', async () => {
    const { port } = new URL(world.url)
    const idle = Array.from({ length: 300 }, () => request({ port, host: '127.0.0.1', method: 'POST' }))
    for (const one of idle) {
      one.on('error', () => {})
      one.flushHeaders()
    }
    const client = await world.client()
    expect((await client.call('1', 'any')).status).toBe(200)
    for (const one of idle) one.destroy()
  })
})
