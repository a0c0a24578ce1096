import { requirement } from '@causeway/test/requirements'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askOn } from '../../../../test/fixtures/edge/asked.ts'
import {
  type EdgeHarness,
  edgeHarness,
  INITIALIZE,
  modern,
  openSession,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { eventTexts, lastEventId } from '../../../../test/fixtures/edge/http-client.ts'

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness({ limits: { maxBufferedOctets: 2_000 } })
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

const REVISION = '2025-03-26'
const request = (id: string) => `{"jsonrpc":"2.0", "id":${id},"method":"tools/call","params":{"n":1.0}}`
const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'
const RESPONSE = '{"jsonrpc":"2.0","id":7,"result":{}}'

describe('a batch', () => {
  it(`${requirement('MCP-005', 'MCP-002')} is sliced: each message goes its own way, and the replies come as one array, all as written`, async () => {
    const sent = harness.client.send(`[${request('1.0')} ,\n${NOTIFICATION}, ${request('"\\u0061"')}]`)
    const [first, second] = [await harness.target.callNumber(0), await harness.target.callNumber(1)]
    expect([first.text, second.text]).toEqual([request('1.0'), request('"\\u0061"')])
    expect(harness.target.notifications.map(({ octets }) => Buffer.from(octets).toString())).toEqual([NOTIFICATION])
    second.result('{"jsonrpc":"2.0","id":"\\u0061","result":{"x" : 1e2}}')
    first.result('{"jsonrpc":"2.0","id":1.0,"result":{}}')
    const answer = await (await sent.head()).whole()
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.body).toBe(
      '[{"jsonrpc":"2.0","id":"\\u0061","result":{"x" : 1e2}},{"jsonrpc":"2.0","id":1.0,"result":{}}]',
    )
    expect(harness.clock.pending).toBe(0)
  })

  it('gives its memory back with the answer', async () => {
    const released: string[] = []
    harness.target.script = (call) => call.result(undefined, { release: () => released.push(call.id) })
    await harness.client.post(`[${request('1')},${request('2')}]`)
    expect(released).toEqual(['1', '2'])
  })

  it('of notifications and responses alone is taken with 202', async () => {
    const headers = await openSession(harness, REVISION)
    harness.client.send(request('5'), headers)
    const asked = askOn(await harness.target.callNumber(1), '{"jsonrpc":"2.0","id":7,"method":"ping"}')
    expect(await harness.client.post(`[${NOTIFICATION},${RESPONSE}]`, headers)).toMatchObject({ status: 202, body: '' })
    expect(await asked.ended()).toBe(`result ${RESPONSE}`)
    expect(harness.target.notifications).toHaveLength(1)
    expect(harness.target.notifications[0]?.session).toBe(harness.target.calls[0]?.request.session)
  })

  it('is answered as a stream when something else comes first, and ends with the last of its replies', async () => {
    const sent = harness.client.send(`[${request('1')},${request('2')}]`)
    const [first, second] = [await harness.target.callNumber(0), await harness.target.callNumber(1)]
    first.result('{"r":1}')
    second.notify('{"n":1}')
    const answer = await sent.head()
    expect(answer.headers['content-type']).toBe('text/event-stream')
    await answer.text((text) => text.includes('{"n":1}'))
    second.result('{"r":2}')
    expect(eventTexts((await answer.whole()).body)).toEqual(['{"r":1}', '{"n":1}', '{"r":2}'])
  })

  it('is answered as a stream when it takes long, and when much would wait for the slowest', async () => {
    const slow = harness.client.send(`[${request('1')}]`)
    const call = await harness.target.callNumber(0)
    harness.clock.advance(15_000)
    expect((await slow.head()).headers['content-type']).toBe('text/event-stream')
    call.result('{"r":1}')
    expect(eventTexts((await (await slow.head()).whole()).body)).toEqual(['{"r":1}'])
    const sent = harness.client.send(`[${request('1')},${request('2')}]`)
    const [one, two] = [await harness.target.callNumber(1), await harness.target.callNumber(2)]
    const large = `{"x":"${'x'.repeat(3_000)}"}`
    one.result(large)
    const answer = await sent.head()
    await answer.text((text) => text.includes(large))
    two.result('{"r":2}')
    expect(eventTexts((await answer.whole()).body)).toEqual([large, '{"r":2}'])
  })

  it('in a session can be come back to', async () => {
    const headers = await openSession(harness, REVISION)
    const sent = harness.client.send(`[${request('1')},${request('2')}]`, headers)
    const [first, second] = [await harness.target.callNumber(1), await harness.target.callNumber(2)]
    second.notify('{"n":1}')
    const answer = await sent.head()
    const text = await answer.text((some) => some.includes('{"n":1}\n\n'))
    answer.disconnect()
    await harness.target.until(() => second.resumes > 0)
    first.result('{"r":1}')
    second.result('{"r":2}')
    const again = await harness.client.events({ ...headers, 'last-event-id': lastEventId(text) })
    expect(eventTexts((await again.whole()).body)).toEqual(['{"r":1}', '{"r":2}'])
  })

  it('answers a request that failed with an error among the others, and leaves out one that was cancelled', async () => {
    harness.target.script = (call) => {
      if (call.id === '1') call.fail({ code: 'SafetyPolicy' })
      else if (call.id === '2') call.fail({ outcome: 2 })
      else call.result('{"r":3}')
    }
    const answer = await harness.client.post(`[${request('1')},${request('2')},${request('3')}]`)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject([{ id: 1, error: { code: -33111 } }, { r: 3 }])
    const nothing = await harness.client.post(`[${request('2')}]`)
    expect(nothing).toMatchObject({ status: 200, body: '' })
  })

  it('whose client leaves goes on without it', async () => {
    const sent = harness.client.send(`[${request('1')},${request('2')}]`)
    const calls = [await harness.target.callNumber(0), await harness.target.callNumber(1)]
    sent.disconnect()
    await harness.target.until(() => calls.every(({ resumes }) => resumes > 0))
    for (const call of calls) call.result()
    expect(calls.flatMap(({ cancels }) => cancels)).toEqual([])
    expect(harness.edge.openExchanges).toBe(0)
  })
})

describe('a batch is refused as a whole with 400, -32600', () => {
  it.each([
    ['nothing', '[]'],
    ['more than 100 messages', `[${Array.from({ length: 101 }, (_, id) => request(String(id))).join(',')}]`],
    ['a number', `[${request('1')},5]`],
    ['a batch', `[${request('1')},[${request('2')}]]`],
    ['no message', `[${request('1')},{"jsonrpc":"2.0","id":2}]`],
    ['a message of the modern era', `[${request('1')},${modern('tools/list')}]`],
    ['initialize', `[${INITIALIZE}]`],
    ['a method that is no text', `[${request('1')},{"jsonrpc":"2.0","id":2,"method":"\\ud800"}]`],
  ])('when it holds %s', async (_, body) => {
    const answer = await harness.client.post(body)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toMatchObject({ id: null, error: { code: -32600 } })
    expect(harness.target.calls).toEqual([])
    expect(harness.target.notifications).toEqual([])
  })

  it('naming the fixed limit of messages', async () => {
    const many = `[${Array.from({ length: 101 }, (_, id) => request(String(id))).join(',')}]`
    expect((await harness.client.post(many)).body).toContain('a batch holds at most 100 messages, a fixed limit')
  })

  it('when two of its ids are one, or one is open in its session, and no id stays taken', async () => {
    const headers = await openSession(harness, REVISION)
    const post = async (...ids: string[]) =>
      (await harness.client.post(`[${ids.map(request).join(',')}]`, headers)).status
    expect(await post('1', '1.0')).toBe(400)
    harness.client.send(request('5'), headers)
    await harness.target.callNumber(1)
    expect(await post('1', '5')).toBe(400)
    harness.target.script = (call) => call.result()
    expect(await post('1', '6')).toBe(200)
  })

  it.each(['2025-06-18', '2025-11-25'])('in a session of revision %s', async (revision) => {
    const headers = await openSession(harness, revision)
    expect((await harness.client.post(`[${request('1')}]`, headers)).status).toBe(400)
    expect(
      (await harness.client.post(`[${request('1')}]`, { 'mcp-session-id': headers['mcp-session-id'] })).status,
    ).toBe(400)
  })

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'outside sessions with the header of revision %s',
    async (revision) => {
      expect((await harness.client.post(`[${request('1')}]`, { 'mcp-protocol-version': revision })).status).toBe(400)
    },
  )

  it('but 404 in a session that is unknown', async () => {
    expect((await harness.client.post(`[${request('1')}]`, { 'mcp-session-id': 'nobody' })).status).toBe(404)
  })
})
