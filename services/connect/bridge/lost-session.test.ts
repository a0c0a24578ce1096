import { describe, expect, it } from 'vitest'
import {
  agreed,
  answer,
  call,
  INITIALIZE,
  INITIALIZED,
  LOST,
  useScriptedBridge,
} from '../../../test/fixtures/connect/scripted-bridge.ts'
import type { Arrival } from '../../../test/fixtures/http/scripted-server.ts'

const bridge = useScriptedBridge()

describe('a lost session', () => {
  /** Answers the replay of what began the session, and nothing else. */
  async function renewed(session: string): Promise<Arrival> {
    const initialize = await bridge.post()
    expect(initialize.text).toBe(INITIALIZE)
    expect(initialize.headers['mcp-session-id']).toBeUndefined()
    initialize.json(200, agreed('2025-06-18'), { 'mcp-session-id': session })
    const notification = await bridge.post()
    expect(notification.text).toBe(INITIALIZED)
    expect(notification.headers['mcp-session-id']).toBe(session)
    const stream = bridge.nextStream()
    notification.json(202, '')
    expect((await stream).headers['mcp-session-id']).toBe(session)
    return stream
  }

  it.each([
    [404, ''],
    [404, LOST],
    [400, LOST],
  ])('%i %s is mended unnoticed, and the call that met it posted once more', async (status, body) => {
    await bridge.opened('s1')
    bridge.host.say(call('1'))
    ;(await bridge.post()).json(status, body)
    await renewed('s2')
    const again = await bridge.post()
    expect(again.text).toBe(call('1'))
    expect(again.headers['mcp-session-id']).toBe('s2')
    again.json(200, answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
  })

  it('is mended once for all who meet it', async () => {
    await bridge.opened('s1')
    bridge.host.say(call('1'), call('2'))
    const [one, two] = [await bridge.post(), await bridge.post()]
    one.json(404, '')
    two.json(404, '')
    await renewed('s2')
    const again = [await bridge.post(), await bridge.post()]
    expect(again.map(({ text }) => text).sort()).toEqual([call('1'), call('2')])
  })

  it('a call that may have been carried out is not posted again', async () => {
    await bridge.opened('s1')
    bridge.host.say(call('1'))
    const unknown = `{"jsonrpc":"2.0","id":1,"error":{"code":-33110,"message":"?","data":{"causeway":{"delivery":"unknown"}}}}`
    ;(await bridge.post()).json(404, unknown)
    await renewed('s2')
    expect(await bridge.host.next()).toBe(unknown)
    expect(bridge.server.arrivals.filter(({ text }) => text === call('1'))).toHaveLength(1)
  })

  it('the same answer in the new session is the answer', async () => {
    await bridge.opened('s1')
    bridge.host.say(call('1'))
    ;(await bridge.post()).json(400, LOST)
    await renewed('s2')
    ;(await bridge.post()).json(400, LOST)
    expect(await bridge.host.next()).toBe(LOST.replace('"id":null', '"id":1'))
  })

  it("is not what a relay's own refusal of a request means", async () => {
    await bridge.opened('s1')
    bridge.host.say(`[${call('1')}]`)
    const refused =
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{"causeway":{"code":"X"}}}}'
    ;(await bridge.post()).json(400, refused)
    expect(await bridge.host.next()).toBe(refused.replace('"id":null', '"id":1'))
    bridge.host.say(call('2'))
    const next = await bridge.post()
    expect([next.text, next.headers['mcp-session-id']]).toEqual([call('2'), 's1'])
  })

  it('is noticed on the unasked stream, and the next call needs nothing', async () => {
    const stream = await bridge.opened('s1')
    stream.stream().raw('retry: 5\n\n').end()
    ;(await bridge.nextStream()).json(404, '')
    await renewed('s2')
    bridge.host.say(call('1'))
    expect((await bridge.post()).headers['mcp-session-id']).toBe('s2')
  })

  it('takes what the server had asked back, and keeps the late answer from the new session', async () => {
    const stream = await bridge.opened('s1')
    const ask = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create"}'
    stream.stream().event(ask)
    expect(await bridge.host.next()).toBe(ask)
    bridge.host.say(call('1'))
    ;(await bridge.post()).json(404, '')
    await renewed('s2')
    expect(JSON.parse(await bridge.host.next())).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 'q' },
    })
    ;(await bridge.post()).json(200, answer('1'))
    expect(await bridge.host.next()).toBe(answer('1'))
    bridge.host.say(answer('"q"'), call('2'))
    expect((await bridge.post()).text).toBe(call('2'))
  })

  it('that cannot be had again is told', async () => {
    await bridge.opened('s1')
    bridge.host.say(call('1'))
    ;(await bridge.post()).json(404, '')
    ;(await bridge.post()).json(404, '')
    const { error } = JSON.parse(await bridge.host.next())
    expect(error.message).toMatch(/nothing is served at http:.*\/mcp \(404\); check the URL/)
  })
})
