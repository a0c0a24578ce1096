import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parametersOf } from './parameters.ts'

let taken: ReturnType<typeof parametersOf>
const server = createServer((incoming: IncomingMessage, response) => {
  taken = parametersOf(incoming)
  response.end()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => server.close())

async function sent(headers: Record<string, string | string[]>): Promise<ReturnType<typeof parametersOf>> {
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', headers, agent: false }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
  return taken
}

describe('service parameters', () => {
  it('are Mcp-Name and every Mcp-Param-*, untouched, with lower-case names', async () => {
    const found = await sent({
      'Mcp-Name': '=?base64?w6k=?=',
      'MCP-PARAM-Region': 'eu west',
      'mcp-param-unknown': '',
      'Mcp-Session-Id': 's',
      'Mcp-Method': 'tools/call',
      'Mcp-Params': 'no',
      authorization: 'Bearer x',
    })
    expect([...(found ?? [])].sort()).toEqual([
      ['mcp-name', '=?base64?w6k=?='],
      ['mcp-param-region', 'eu west'],
      ['mcp-param-unknown', ''],
    ])
  })

  it('join what is repeated, and hold header octets as they came', async () => {
    const found = await sent({ 'mcp-param-a': ['1', '2'], 'mcp-param-b': 'Ã©' })
    expect(Object.fromEntries(found ?? [])).toEqual({ 'mcp-param-a': '1, 2', 'mcp-param-b': 'Ã©' })
  })

  it('are at most 64', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`mcp-param-${index}`, 'x']))
    expect((await sent(many(64)))?.size).toBe(64)
    expect(await sent(many(65))).toBeUndefined()
  })

  it('have no entries where there is nothing', async () => {
    expect((await sent({}))?.size).toBe(0)
  })
})
