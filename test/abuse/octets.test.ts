import { describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { INITIALIZED, textsOf, toolCall } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import { inPieces } from './raw-http.ts'
import { openExchanges, sharedWorld } from './world.ts'

const world = sharedWorld()

const EURO_SMILE = 'ä€😀'

/** Offsets of every border between two octets of the multi-octet characters in it. */
function bordersIn(octets: Buffer): number[] {
  return [...octets.keys()].filter((at) => ((octets[at] ?? 0) & 0xc0) === 0x80)
}

describe('UTF-8 that is cut (class: decoders that take each chunk for itself)', () => {
  it("a client's body arrives octet for octet, however it was cut", async () => {
    const client = await world.client()
    let text = ''
    world.server.tool('utf8', ({ arrival, id }) => {
      text = arrival.text
      arrival.json(200, resultOf(id))
    })
    const body = Buffer.from(toolCall('"ä"', 'utf8', `{"s":"${EURO_SMILE}"}`))
    for (const border of bordersIn(body)) {
      const raw = await inPieces(world.url, client.headers, [body.subarray(0, border), body.subarray(border)])
      expect(raw).toMatch(/^HTTP\/1\.1 200 /)
      expect(text).toBe(body.toString())
    }
  })

  it.each(['json', 'events'])("a server's %s arrive octet for octet, however they were cut", async (how) => {
    const client = await world.client()
    let cut = 0
    world.server.tool('utf8', ({ arrival, id }) => {
      const message = resultOf(id, `{"s":"${EURO_SMILE}"}`)
      const octets = Buffer.from(how === 'json' ? message : `data: ${message}\n\n`)
      const border = bordersIn(octets)[cut] ?? 0
      const type = how === 'json' ? 'application/json' : 'text/event-stream'
      arrival.response.writeHead(200, { 'content-type': type })
      arrival.response.write(octets.subarray(0, border))
      setImmediate(() => arrival.response.end(octets.subarray(border)))
    })
    const borders = bordersIn(Buffer.from(resultOf('1', `{"s":"${EURO_SMILE}"}`))).length
    for (; cut < borders; cut++) {
      expect((await client.call('1', 'utf8')).text).toBe(resultOf('1', `{"s":"${EURO_SMILE}"}`))
    }
  })

  it('a BOM, an overlong form, a lone half of a surrogate pair as octets: 400, never sent', async () => {
    const client = await world.client()
    for (const odd of [
      Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from(INITIALIZED)]),
      Buffer.from(toolCall('1', 'bad')).fill(0xc0, 60, 61),
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
    ]) {
      const answer = await client.post(odd)
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, -32700])
    }
  })
})

describe('event streams of servers (class: parsers that know only LF, only one data line, only "data: " with a blank)', () => {
  const message = resultOf('1', '{"text":"x"}')
  const spread = '{"jsonrpc":"2.0",\n"id":1,\n"result":{"text":"x"}}'

  it.each<[string, string, string]>([
    ['CRLF', `event: message\r\ndata: ${message}\r\n\r\n`, message],
    ['a lone CR', `event: message\rdata: ${message}\r\r`, message],
    ['all three mixed', `event: message\ndata: ${message}\r\r\n`, message],
    ['no blank after the colon', `data:${message}\n\n`, message],
    ['a BOM first', `\ufeffdata: ${message}\n\n`, message],
    ['many data lines', `data: ${spread.split('\n').join('\ndata: ')}\n\n`, spread],
    ['many data lines, CRLF', `data: ${spread.split('\n').join('\r\ndata: ')}\r\n\r\n`, spread],
    ['comments and unknown fields', `: hi\nfoo: bar\n:\ndata: ${message}\nbar\n\n`, message],
    ['an event of another type first', `event: ping\ndata: {}\n\ndata: ${message}\n\n`, message],
    ['empty events and a priming event first', `\n\nid: 1\nretry: 5\ndata:\n\n\ndata: ${message}\n\n`, message],
    ['a blank around the JSON', `data:   ${message}  \n\n`, message],
  ])('%s', async (_name, stream, expected) => {
    const client = await world.client()
    world.server.tool('sse', ({ arrival }) => {
      // One octet a chunk: every border is a chunk border.
      const response = arrival.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      for (const octet of Buffer.from(stream)) response.write(Buffer.of(octet))
      response.end()
    })
    expect((await client.call('1', 'sse')).text).toBe(expected)
    expect((await world.modern('sse', '1')).text).toBe(expected)
  })

  it('JSON over several lines, with CR, LF and CRLF, reaches the client as one message in JSON and in events', async () => {
    const client = await world.client()
    const pretty = '{\r\n  "jsonrpc": "2.0",\r  "id": 1,\n  "result": {"s": "\\r\\n"}\r\n}'
    world.server.tool('pretty', ({ arrival }) => arrival.json(200, pretty))
    expect((await world.modern('pretty', '1')).body).toBe(pretty)
    const lines = pretty.replace(/\r\n|\r/g, '\n')
    // In a session it comes as an event, which ends a line in one way only.
    expect((await client.call('1', 'pretty')).text).toBe(lines)
    world.server.tool('pretty', ({ arrival }) => {
      const stream = arrival.stream()
      stream.event('{"jsonrpc":"2.0","method":"notifications/x"}')
      stream.raw(`data: ${pretty.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`).end()
    })
    expect((await client.call('1', 'pretty')).text).toBe(lines)
  })

  it('a result of 10 MB in one event, and in ten thousand data lines (class: truncated large events)', async () => {
    const client = await world.client()
    const big = 'ü'.repeat(5 * 1024 * 1024)
    world.server.tool('big', ({ arrival, id }) => {
      arrival
        .stream()
        .event(resultOf(id, `"${big}"`))
        .end()
    })
    expect((await client.call('1', 'big')).text.length).toBe(resultOf('1', `"${big}"`).length)
    const lines = Array.from({ length: 10_000 }, (_, n) => `"line ${n} ${'x'.repeat(1_000)}"`)
    const list = `[${lines.join(',\n')}]`
    world.server.tool('lines', ({ arrival, id }) => {
      arrival
        .stream()
        .raw(`data: ${resultOf(id, list).split('\n').join('\ndata: ')}\n\n`)
        .end()
    })
    expect((await client.call('2', 'lines')).text === resultOf('2', list)).toBe(true)
    expect(openExchanges(world.mesh)).toBe(0)
  })
})

describe('JSON that is re-printed by others (class: float64, key order, __proto__, escapes)', () => {
  const VALUES = [
    '12345678901234567890',
    '1.0',
    '1e400',
    '-0',
    '1E+2',
    '0.10000000000000000001',
    '"\\ud800"',
    '"\\u0041\\/\\u2028"',
    '"\u2028\u2029\u007f"',
    '{"b":1,"a":2,"b":3}',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '{"":[[[[]]]],"  ":null}',
    '{"2":0,"1":0}',
  ]

  it.each(VALUES)('%s in arguments, results, notifications, errors and server requests', async (value) => {
    const client = await world.client()
    let asked = ''
    world.server.tool('values', ({ arrival, id, session }) => {
      asked = arrival.text
      const stream = arrival.stream()
      stream.event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${value}}}`)
      stream.event(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"v":${value}}}`)
      void world.server
        .heard(session, (said) => said.some((text) => text.includes('"q"')))
        .then((said) => {
          stream
            .event(`{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":"m","data":[${value},${said.at(-1)}]}}`)
            .end()
        })
    })
    const answer = await client.openCall('1', 'values', `{"v":${value}}`)
    await answer.text((body) => body.includes('elicitation/create'))
    const reply = `{"jsonrpc":"2.0","id":"q","result":{"v":${value}}}`
    await client.post(reply)
    expect(textsOf((await answer.whole()).body)).toEqual([
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${value}}}`,
      `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"v":${value}}}`,
      `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[${value},${reply}]}}`,
    ])
    expect(asked).toBe(toolCall('1', 'values', `{"v":${value}}`))
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  it.each([
    ['a progress token that is 0', '{"name":"meta","_meta":{"progressToken":0}}'],
    ['a progress token above 2^53', '{"name":"meta","_meta":{"progressToken":9007199254740993}}'],
    ['foreign _meta', '{"name":"meta","_meta":{"com.example/x":{"a":[1.0]},"traceparent":"not one"}}'],
    ['_meta that is no object', '{"name":"meta","_meta":7}'],
    ['unknown members', '{"name":"meta","task":{"ttl":1},"x":null}'],
  ])('%s crosses untouched (class: _meta dropped, progress tokens rewritten)', async (_name, params) => {
    const client = await world.client()
    world.server.tool('meta', ({ arrival, id }) => {
      const stream = arrival.stream()
      stream.event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"echo":${params}}}`)
      stream.event(resultOf(id, `{"_meta":${params}}`)).end()
    })
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params},"extra":true}`
    const answer = await client.post(call)
    expect(textsOf(answer.body)).toEqual([
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"echo":${params}}}`,
      resultOf('1', `{"_meta":${params}}`),
    ])
    expect(world.server.http.arrivals.at(-1)?.text).toBe(call)
  })

  it.each(['null', '[]', '[1]', '"x"', '7'])(
    'params that are %s are for the server to judge, not for the relay',
    async (params) => {
      const client = await world.client()
      const call = `{"jsonrpc":"2.0","id":1,"method":"odd/method","params":${params}}`
      expect((await client.post(call)).text).toBe(resultOf('1'))
      expect(world.server.http.arrivals.at(-1)?.text).toBe(call)
    },
  )
})

describe('names in modern headers', () => {
  it.each([
    ['a name of Unicode', 'wetter-ö-😀'],
    ['a name that looks like the encoding', '=?base64?eA==?='],
    ['a name with blanks around', ' x '],
  ])('%s is carried as base64 and believed', async (_name, name) => {
    const client = await world.client()
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
    world.server.tool(name, ({ arrival, id }) => arrival.json(200, resultOf(id, `"${arrival.headers['mcp-name']}"`)))
    const meta =
      '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{},"_meta":${meta}}}`
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': encoded }
    const http = new HttpClient(Number(new URL(world.url).port))
    try {
      const answer = await http.post(body, headers, client.path)
      expect([answer.status, answer.body]).toEqual([200, resultOf('1', `"${encoded}"`)])
      const other = await http.post(body, { ...headers, 'mcp-name': '=?base64?eQ==?=' }, client.path)
      expect([other.status, JSON.parse(other.body).error.code]).toEqual([400, -32020])
    } finally {
      http.close()
    }
  })
})
