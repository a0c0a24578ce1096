import { isNeverAccepted } from '@causeway/mesh-api'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { type OutgoingMessage, requestHeaders } from './request-headers.ts'

function headersOf(
  body: object,
  options: Partial<OutgoingMessage> & {
    accept?: readonly string[]
    parameters?: ReadonlyMap<string, string>
    session?: { sessionId?: string; protocolVersion?: string }
  } = {},
): { headers: Record<string, string>; dropped: string[] } {
  const { accept = [], session, ...changes } = options
  const dropped: string[] = []
  const message: OutgoingMessage = {
    era: 'modern',
    kind: 'request',
    octets: Buffer.from(JSON.stringify(body)),
    parameters: new Map(),
    ...changes,
  }
  const flat = requestHeaders(
    message,
    { sessionId: session?.sessionId, protocolVersion: session?.protocolVersion },
    new Set(accept),
    (name) => dropped.push(name),
  )
  const headers: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] ?? ''
    expect(headers).not.toHaveProperty(name)
    headers[name] = flat[i + 1] ?? ''
  }
  return { headers, dropped }
}

const request = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }, ...params },
})

describe('requestHeaders', () => {
  it('says what it takes and what it sends', () => {
    expect(headersOf(request('ping'), { era: 'legacy' }).headers).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    })
  })

  it(`${requirement('MCP-051')} generates the headers of a modern request from its body, so that the two agree`, () => {
    expect(headersOf(request('tools/list')).headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    })
  })

  it.each([
    ['tools/call', { name: 'echo' }],
    ['prompts/get', { name: 'echo' }],
    ['resources/read', { uri: 'echo' }],
    ['tasks/get', { taskId: 'echo' }],
    ['tasks/update', { taskId: 'echo' }],
    ['tasks/cancel', { taskId: 'echo' }],
  ])('takes the name of %s from the body and not from the caller', (method, params) => {
    const { headers, dropped } = headersOf(request(method, params), { parameters: new Map([['mcp-name', 'other']]) })
    expect(headers['mcp-name']).toBe('echo')
    expect(dropped).toEqual([])
  })

  it('wraps a name that no header can carry', () => {
    expect(headersOf(request('tools/call', { name: 'größe\r\nx: y' })).headers['mcp-name']).toMatch(
      /^=\?base64\?.+\?=$/,
    )
    expect(headersOf(request('größe')).headers['mcp-method']).toMatch(/^=\?base64\?.+\?=$/)
  })

  it('takes the name of any other method from the caller', () => {
    const parameters = new Map([['mcp-name', 'x']])
    expect(headersOf(request('vendor/do', { name: 'y' }), { parameters }).headers['mcp-name']).toBe('x')
    expect(headersOf(request('toString'), { parameters }).headers['mcp-name']).toBe('x')
  })

  it('makes nothing of members that are not strings', () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 5, _meta: 'x' } }
    expect(Object.keys(headersOf(body).headers)).toEqual(['accept', 'content-type', 'mcp-method'])
  })

  it('puts only the version on a modern notification', () => {
    const { headers } = headersOf(request('notifications/x'), { kind: 'notification' })
    expect(Object.keys(headers)).toEqual(['accept', 'content-type', 'mcp-protocol-version'])
  })

  it('passes the parameters of a modern request on, and those of a legacy one not', () => {
    const parameters = new Map([['mcp-param-region', 'eu']])
    expect(headersOf(request('tools/call', { name: 'a' }), { parameters }).headers['mcp-param-region']).toBe('eu')
    expect(headersOf(request('ping'), { era: 'legacy', parameters })).toMatchObject({ dropped: ['mcp-param-region'] })
  })

  it('passes what the backend accepts, and tells of everything else', () => {
    const parameters = new Map([
      ['x-tenant', 'a'],
      ['x-other', 'b'],
      ['traceparent', 'c'],
    ])
    const { headers, dropped } = headersOf(request('ping'), { parameters, accept: ['x-tenant', 'traceparent'] })
    expect(headers).toMatchObject({ 'x-tenant': 'a', traceparent: 'c' })
    expect(dropped).toEqual(['x-other'])
  })

  it.each([
    'authorization',
    'cookie',
    'host',
    'content-type',
    'content-length',
    'transfer-encoding',
    'connection',
    'proxy-authorization',
    'mcp-session-id',
    'mcp-method',
    'mcp-protocol-version',
    ':status',
  ])('never passes %s, whatever the backend accepts', (name) => {
    const parameters = new Map([[name, 'x']])
    const { headers, dropped } = headersOf(request('ping'), { parameters, accept: [name] })
    expect(headers[name]).not.toBe('x')
    expect(dropped).toEqual([name])
  })

  it('never passes exactly the names that a MeshBackend cannot list', () => {
    const refused = ['authorization', 'cookie', 'cookie2', 'set-cookie', 'host', 'mcp-session-id', 'mcp-method']
    const ours = ['accept', 'accept-encoding', 'last-event-id', 'mcp-protocol-version', 'content-type', 'content-x']
    const hops = ['connection', 'expect', 'http2-settings', 'keep-alive', 'proxy-connection', 'proxy-x', 'te']
    const framing = ['trailer', 'transfer-encoding', 'upgrade']
    const passed = ['x-tenant', 'traceparent', 'user-agent', 'accept-language', 'mcp-name', 'mcp-param-a', 'origin']
    const names = [...refused, ...ours, ...hops, ...framing, ...passed]
    const dropped = names.filter((name) => {
      const parameters = new Map([[name, 'x']])
      return headersOf(request('ping'), { parameters, accept: [name] }).dropped.length > 0
    })
    expect(dropped).toEqual([...refused, ...ours, ...hops, ...framing])
    expect(names.filter(isNeverAccepted)).toEqual(dropped)
  })

  it.each(['a\r\nb: c', 'a\0b', '€'])('drops the value %j, which is more than a value', (value) => {
    const parameters = new Map([
      ['x-tenant', value],
      ['mcp-param-a', value],
    ])
    expect(headersOf(request('ping'), { parameters, accept: ['x-tenant'] }).dropped).toEqual([
      'x-tenant',
      'mcp-param-a',
    ])
  })

  it('carries the session of the legacy era, and nothing of it in the modern one', () => {
    const session = { sessionId: 's-1', protocolVersion: '2025-11-25' }
    const inSession = { 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-11-25' }
    expect(headersOf(request('ping'), { era: 'legacy', session }).headers).toMatchObject(inSession)
    expect(headersOf(request('ping'), { session }).headers).not.toHaveProperty('mcp-session-id')
  })

  it('sends no version to a revision that has no header for it', () => {
    const session = { sessionId: 's-1', protocolVersion: '2025-03-26' }
    const { headers } = headersOf(request('ping'), { era: 'legacy', session })
    expect(headers).toHaveProperty('mcp-session-id')
    expect(headers).not.toHaveProperty('mcp-protocol-version')
  })
})
