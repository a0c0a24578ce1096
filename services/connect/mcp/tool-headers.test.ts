import { describe, expect, it } from 'vitest'
import type { RequestPart, ResponsePart } from '../contract.ts'
import { headerValue } from './header-value.mjs'
import { readMessage } from './message.mjs'
import { modernHeaders } from './request-headers.mjs'
import { ToolHeaders } from './tool-headers.mjs'

const read = (text: string) => readMessage(Buffer.from(text))

function afterList(properties: object): ToolHeaders {
  const tools = new ToolHeaders()
  const list = {
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [{ name: 't', inputSchema: { type: 'object', properties } }] },
  }
  tools.learn(read(JSON.stringify(list)) as ResponsePart)
  return tools
}

const call = (args: string) =>
  read(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":${args}}}`) as RequestPart

describe('Mcp-Param headers', () => {
  const tools = afterList({
    region: { type: 'string', 'x-mcp-header': 'Region' },
    deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    other: { type: 'string' },
  })

  it('repeat the arguments that the tool names, integers as they were written', () => {
    expect(tools.headersOf(call('{"region":"münchen","deep":{"n":9007199254740993},"dry":false,"other":"x"}'))).toEqual(
      {
        'mcp-param-region': '=?base64?bcO8bmNoZW4=?=',
        'mcp-param-n': '9007199254740993',
        'mcp-param-dry': 'false',
      },
    )
    expect(tools.headersOf(call('{"deep":{"n":1e3}}'))).toEqual({ 'mcp-param-n': '1000' })
  })

  it('leave out what is missing, null or no value of a header', () => {
    expect(tools.headersOf(call('{"region":null,"deep":{"n":1.5},"dry":{}}'))).toEqual({})
  })

  it.each([
    { a: { type: 'number', 'x-mcp-header': 'A' } },
    { a: { type: 'string', 'x-mcp-header': 'no token' } },
    { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
  ])('are none where the annotations break a rule: %j', (properties) => {
    expect(afterList(properties).headersOf(call('{"a":"1","b":"2"}'))).toEqual({})
  })
})

it.each([
  ['plain text', 'plain text'],
  ['', ''],
  [' a', '=?base64?IGE=?='],
  ['a\nb', '=?base64?YQpi?='],
  ['=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
])('headerValue(%j) is %j', (value, encoded) => expect(headerValue(value)).toBe(encoded))

it.each([
  ['tools/call', '"name":"a"', 'a'],
  ['prompts/get', '"name":"p"', 'p'],
  ['resources/read', '"uri":"file:///ü"', '=?base64?ZmlsZTovLy/DvA==?='],
  ['tasks/get', '"taskId":"7"', '7'],
  ['tools/list', '"name":"a"', undefined],
])('%s repeats version, method and name', (method, member, name) => {
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
  const request = read(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${member},${meta}}}`) as RequestPart
  expect(modernHeaders(request, new ToolHeaders())).toEqual({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  })
})
