import { describe, expect, it } from 'vitest'
import { answer, call, LOST, useScriptedBridge } from '../../../test/fixtures/connect/scripted-bridge.ts'

const bridge = useScriptedBridge()

describe('the legacy era', () => {
  it('passes octets as they are, both ways, with the session and the revision that the server named', async () => {
    await bridge.opened()
    const odd = ' {"id" : 1.0, "jsonrpc":"2.0","method":"tools\\/call","params":{"n":12345678901234567890}}'
    bridge.host.say(odd)
    const request = await bridge.post()
    expect(request.text).toBe(odd)
    expect(request.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-06-18',
    })
    request.json(200, '{"jsonrpc":"2.0",\n  "id":1,"result":{"n":1.50e1}}')
    expect(await bridge.host.next()).toBe('{"jsonrpc":"2.0",   "id":1,"result":{"n":1.50e1}}')
  })

  it('shows notifications and requests of a call before its answer, and what comes unasked', async () => {
    const stream = await bridge.opened()
    expect(stream.headers).toMatchObject({ accept: 'text/event-stream', 'mcp-session-id': 's1' })
    bridge.host.say(call('1'))
    const events = (await bridge.post()).stream()
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
    const ask = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
    events.event(progress).event(ask)
    expect([await bridge.host.next(), await bridge.host.next()]).toEqual([progress, ask])
    bridge.host.say(answer('1'))
    const reply = await bridge.post()
    expect(reply.text).toBe(answer('1'))
    reply.json(202, '')
    events.event(answer('1')).end()
    expect(await bridge.host.next()).toBe(answer('1'))

    const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    stream.stream().event(changed)
    expect(await bridge.host.next()).toBe(changed)
  })

  it('lets nothing overtake a notification, while requests run beside each other', async () => {
    await bridge.opened()
    bridge.host.say(call('1'), call('2'))
    const [one, two] = [await bridge.post(), await bridge.post()]
    bridge.host.say('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}', call('3'))
    const notification = await bridge.post()
    expect(notification.text).toContain('list_changed')
    two.json(200, answer('2'))
    one.json(200, answer('1'))
    expect([await bridge.host.next(), await bridge.host.next()].sort()).toEqual([answer('1'), answer('2')])
    expect(bridge.server.arrivals.some(({ text }) => text === call('3'))).toBe(false)
    notification.json(202, '')
    const three = await bridge.post()
    expect(three.text).toBe(call('3'))
    three.json(200, answer('3'))
  })

  it('takes up a broken stream where it ended, after as long as the server said', async () => {
    await bridge.opened()
    bridge.host.say(call('1'))
    ;(await bridge.post()).stream().raw('id: a1\nretry: 10\ndata:\n\n').end()
    const first = await bridge.nextStream()
    expect(first.headers).toMatchObject({ 'last-event-id': 'a1', 'mcp-session-id': 's1' })
    first.stream().raw('id: a2\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n').end()
    expect(await bridge.host.next()).toContain('notifications/message')
    const second = await bridge.nextStream()
    expect(second.headers['last-event-id']).toBe('a2')
    second.stream().event(answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
  })

  it('takes up the unasked stream too, and does without where there is none', async () => {
    const stream = await bridge.opened()
    stream.stream().raw('id: g1\nretry: 5\ndata:\n\n').end()
    const again = await bridge.nextStream()
    expect(again.headers['last-event-id']).toBe('g1')
    again.json(405, '')
    bridge.host.say(call('1'))
    ;(await bridge.post()).json(200, answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
    expect(bridge.listening).toHaveLength(2)
  })

  it.each([408, 425, 429])('asks again for the unasked stream after status %i', async (status) => {
    const stream = await bridge.opened()
    stream.json(status, '')
    const again = await bridge.nextStream()
    expect(again.headers['mcp-session-id']).toBe('s1')
  })

  it('listens from now on where what it saw last is held no more', async () => {
    const stream = await bridge.opened()
    stream.stream().raw('id: e1\nretry: 5\ndata: \n\n').end()
    const again = await bridge.nextStream()
    expect(again.headers['last-event-id']).toBe('e1')
    again.json(
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{"causeway":{"code":"X"}}}}',
    )
    const anew = await bridge.nextStream()
    expect(anew.headers).toMatchObject({ 'mcp-session-id': 's1' })
    expect(anew.headers['last-event-id']).toBeUndefined()
  })

  it('a stream that ends without answer and without event ids is told as unknown', async () => {
    await bridge.opened()
    bridge.host.say(call('1'))
    ;(await bridge.post()).stream().end()
    expect(JSON.parse(await bridge.host.next())).toMatchObject({
      id: 1,
      error: { code: -33110, data: { causeway: { code: 'NotDelivered', delivery: 'unknown' } } },
    })
  })

  it('passes a cancel on, keeps silent when nothing more comes, and shows an answer that won', async () => {
    await bridge.opened()
    bridge.host.say(call('1'), call('2'))
    const [one, two] = [(await bridge.post()).stream(), (await bridge.post()).stream()]
    const cancel = (id: number) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}.0}}`
    bridge.host.say(cancel(1), cancel(2))
    for (const id of [1, 2]) {
      const notification = await bridge.post()
      expect(notification.text).toBe(cancel(id))
      notification.json(202, '')
    }
    one.end()
    two.event(answer('2'))
    expect(await bridge.host.next()).toBe(answer('2'))
    expect(bridge.host.untaken).toEqual([])
  })

  it('batches cross whole', async () => {
    await bridge.opened()
    const batch = `[${call('1')}, ${call('2')},{"jsonrpc":"2.0","method":"notifications/message"}]`
    bridge.host.say(batch)
    const request = await bridge.post()
    expect(request.text).toBe(batch)
    request.json(200, `[${answer('2')},${answer('1')}]`)
    expect(await bridge.host.next()).toBe(`[${answer('2')},${answer('1')}]`)
  })

  it('drops answers that nobody waits for, and says so', async () => {
    await bridge.opened()
    bridge.host.say(call('1'))
    ;(await bridge.post()).stream().event(answer('7')).event(answer('1')).event(answer('1')).end()
    expect(await bridge.host.next()).toBe(answer('1'))
    bridge.host.say(call('1'))
    ;(await bridge.post()).json(200, answer('1'))
    await bridge.host.next()
    expect(bridge.host.logs).toContain('dropped an answer that no open request waits for')
  })

  it('a second request with an open id is refused', async () => {
    await bridge.opened()
    bridge.host.say(call('1'), call('1.0'))
    expect(JSON.parse(await bridge.host.next())).toMatchObject({ id: 1, error: { code: -32600 } })
    ;(await bridge.post()).json(200, answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
  })
})

describe('the modern era', () => {
  const META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
  const modern = (id: string, method: string, more = '') =>
    `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${more}${META}}}`

  it('says in headers what the body says, and knows no session', async () => {
    const list = modern('1', 'tools/list')
    bridge.host.say(list)
    const listed = await bridge.post()
    expect(listed.text).toBe(list)
    expect(listed.headers).toMatchObject({ 'mcp-method': 'tools/list', 'mcp-protocol-version': '2026-07-28' })
    const schema = '{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}'
    listed.json(200, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":${schema}}]}}`, {
      'mcp-session-id': 'none of it',
    })
    await bridge.host.next()
    bridge.host.say(modern('2', 'tools/call', '"name":"t","arguments":{"r":"eu"},'))
    const called = await bridge.post()
    expect(called.headers).toMatchObject({ 'mcp-name': 't', 'mcp-param-region': 'eu' })
    expect(called.headers['mcp-session-id']).toBeUndefined()
  })

  it('a cancel closes the response, and nothing is posted', async () => {
    bridge.host.say(modern('"a"', 'tools/call', '"name":"slow",'))
    const request = await bridge.post()
    request.stream()
    bridge.host.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0061"}}')
    await request.gone
    bridge.host.say(modern('2', 'tools/list'))
    expect((await bridge.post()).headers['mcp-method']).toBe('tools/list')
    expect(bridge.host.untaken).toEqual([])
  })

  it('a cancel that comes when its answer has come harms no other request on the connection', async () => {
    bridge.host.say(modern('1', 'tools/list'))
    const request = await bridge.post()
    const stream = request.stream().event(answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
    stream.end()
    bridge.host.say(modern('2', 'tools/list'))
    const second = await bridge.post()
    bridge.host.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    second.json(200, answer('2'))
    expect(await bridge.host.next()).toBe(answer('2'))
  })

  it.each([
    [404, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'],
    [400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}'],
  ])("a server's own error of status %i passes as it is", async (status, error) => {
    bridge.host.say(modern('1', 'server/discover'))
    ;(await bridge.post()).json(status, error)
    expect(await bridge.host.next()).toBe(error)
  })

  it('an error without id gets the id of the request, or the probe would wait', async () => {
    bridge.host.say(modern('"p"', 'server/discover'))
    ;(await bridge.post()).json(400, LOST)
    expect(await bridge.host.next()).toBe(LOST.replace('"id":null', '"id":"p"'))
  })

  it('a broken answer is lost, whatever event ids it had', async () => {
    bridge.host.say(modern('1', 'tools/list'))
    ;(await bridge.post()).stream().raw('id: 1\ndata:\n\n').end()
    expect(JSON.parse(await bridge.host.next()).error.data.causeway.delivery).toBe('unknown')
  })
})
