import { describe, expect, it } from 'vitest'
import { connectHost } from '../../../test/fixtures/connect/host.ts'
import {
  answer,
  call,
  INITIALIZE,
  INITIALIZED,
  useScriptedBridge,
} from '../../../test/fixtures/connect/scripted-bridge.ts'
import { scriptedServer } from '../../../test/fixtures/http/scripted-server.ts'

const bridge = useScriptedBridge()

describe('what goes wrong', () => {
  it.each([
    [401, -33117, 'give them with --header'],
    [403, -33117, 'check --header'],
    [404, -33110, 'check the URL'],
    [405, -33110, 'takes no POST'],
    [302, -33110, 'redirects elsewhere'],
    [502, -33110, 'does not reach its server'],
    [503, -33110, 'try again later'],
    [500, -33110, 'HTTP status 500'],
  ])('status %i answers the request with %i and says what to do', async (status, code, text) => {
    bridge.host.say(INITIALIZE)
    ;(await bridge.post()).response.writeHead(status, { 'content-type': 'text/html' }).end('<html>')
    const { id, error } = JSON.parse(await bridge.host.next())
    expect({ id, code: error.code }).toEqual({ id: 0, code })
    expect(error.message).toContain(text)
  })

  it('a relay that serves only clients with a certificate is told with --cert, not with --header', async () => {
    bridge.host.say(INITIALIZED)
    const hint = 'present a client certificate of the authority in listeners.mcp.tls.clientCAFile'
    const data = { causeway: { code: 'Forbidden', delivery: 'not_sent', hint } }
    ;(await bridge.post()).json(
      403,
      JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no', data } }),
    )
    bridge.host.input.end()
    await bridge.host.ended
    expect(bridge.host.logs.join()).toContain('(403); give yours with --cert FILE and --key FILE')
    expect(bridge.host.logs.join()).not.toContain('--header')
  })

  it.each([
    ['{', -32700],
    ['\ufeff{}', -32700],
    ['"x"', -32600],
    ['{"jsonrpc":"2.0"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', -32600],
    ['[]', -32600],
  ])('the line %s is answered by an error without an id, and not sent', async (line, code) => {
    bridge.host.say(line)
    expect(JSON.parse(await bridge.host.next())).toMatchObject({ id: null, error: { code } })
    expect(bridge.server.arrivals).toHaveLength(0)
  })

  it('a line above 16 MiB is refused, the next one served', async () => {
    bridge.host.say(' '.repeat(16 * 1024 * 1024 + 1), INITIALIZE)
    expect(JSON.parse(await bridge.host.next())).toMatchObject({ id: null, error: { code: -32600 } })
    expect((await bridge.post()).text).toBe(INITIALIZE)
  })

  it.each([
    ['no message at all', 202, 'text/plain', ''],
    ['another kind of answer', 200, 'text/html', '<html>'],
    ['an answer that is no JSON', 200, 'application/json', '{"jsonrpc"'],
    ['the answer to something else', 200, 'application/json', answer('99')],
  ])('%s is told as unknown', async (_, status, type, body) => {
    bridge.host.say(call('1'))
    ;(await bridge.post()).response.writeHead(status, { 'content-type': type }).end(body)
    expect(JSON.parse(await bridge.host.next())).toMatchObject({
      id: 1,
      error: { data: { causeway: { delivery: 'unknown' } } },
    })
  })

  it('a connection that breaks before the answer is told as unknown, and nothing is repeated', async () => {
    bridge.host.say(call('1'))
    ;(await bridge.post()).socket.destroy()
    expect(JSON.parse(await bridge.host.next())).toMatchObject({
      id: 1,
      error: { data: { causeway: { delivery: 'unknown' } } },
    })
    expect(bridge.server.arrivals).toHaveLength(1)
  })

  it('a server that is not there is told as not sent', async () => {
    await bridge.server.close()
    bridge.host.say(call('1'))
    const { error } = JSON.parse(await bridge.host.next())
    expect(error.message).toBe(`nothing listens at ${bridge.server.url.host}; is the relay running?`)
    expect(error.data.causeway.delivery).toBe('not_sent')
    bridge.server = await scriptedServer()
  })

  it('follows a redirect that keeps the method, within the origin only', async () => {
    bridge.host.say(call('1'))
    ;(await bridge.post()).response.writeHead(307, { location: '/mcp/' }).end()
    const moved = await bridge.post()
    expect([moved.path, moved.text]).toEqual(['/mcp/', call('1')])
    moved.response.writeHead(308, { location: 'http://elsewhere.example/mcp' }).end()
    const { error } = JSON.parse(await bridge.host.next())
    expect(error.message).toContain('has moved to http://elsewhere.example/mcp')
  })

  it('serves one call after the other on one connection', async () => {
    for (const id of ['1', '2', '3']) {
      bridge.host.say(call(id))
      ;(await bridge.post()).stream().event(answer(id)).end()
      await bridge.host.next()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(bridge.server.connections).toBe(1)
  })
})

describe('the end', () => {
  it('comes when the input has ended and every answer is written; the session is deleted', async () => {
    await bridge.opened()
    bridge.host.say(call('1'))
    const request = await bridge.post()
    bridge.host.input.end()
    request.json(200, answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
    const deletion = await bridge.post()
    expect(deletion.method).toBe('DELETE')
    expect(deletion.headers).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-06-18' })
    deletion.json(204, '')
    expect(await bridge.host.ended).toBe(0)
  })

  it('does not wait for a subscription', async () => {
    const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    bridge.host.say(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},${meta}}}`)
    const request = await bridge.post()
    request.stream()
    bridge.host.input.end()
    expect(await bridge.host.ended).toBe(0)
    await request.gone
  })

  it('comes at once when it is told to, or when nobody reads the output', async () => {
    bridge.host.say(call('1'))
    const request = await bridge.post()
    expect(await bridge.host.stop()).toBe(0)
    await request.gone

    bridge.host = connectHost(bridge.server.url)
    bridge.host.say(call('1'))
    const other = await bridge.post()
    bridge.host.output.destroy()
    expect(await bridge.host.ended).toBe(0)
    await other.gone
  })

  it.each([
    ['not a URL', {}, 'is not an http or https URL'],
    ['ftp://a.example/', {}, 'is not an http or https URL'],
    ['http://user:secret@a.example/', {}, 'use --header'],
    ['https://a.example/', { cacertFile: '/nowhere/ca.pem' }, 'cannot be read'],
    ['https://a.example/', { cacertFile: import.meta.filename }, 'holds no certificates'],
    ['https://a.example/', { headers: ['nothing'] }, '--header needs the form'],
    ['https://a.example/', { env: { HTTPS_PROXY: 'socks5://p' } }, 'HTTPS_PROXY is not the URL of an HTTP proxy'],
  ])('comes before it began with a wrong option: %s %j', async (url, options, why) => {
    const refused = connectHost(url, options)
    expect(await refused.ended).toBe(2)
    expect(refused.logs.join()).toContain(why)
    expect(refused.logs.join()).not.toContain('secret')
  })
})
