import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  edgeHarness,
  INITIALIZE,
  legacy,
  modern,
  modernHeaders,
  openSession,
} from '../../../../test/fixtures/edge/edge-harness.ts'

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness()
  harness.target.script = (call) => call.result()
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

/** Digest 10 section 3, each line of its table for servers over HTTP. */
describe('which era a request is of', () => {
  const era = () => harness.target.calls.at(-1)?.request.era

  it('legacy: initialize without a claim, whatever the header says', async () => {
    const answer = await harness.client.post(INITIALIZE, { 'mcp-protocol-version': '2026-07-28' })
    expect(era()).toBe('legacy')
    expect(answer.headers['mcp-session-id']).toBeDefined()
  })

  it.each(['5', 'null', '{}', '"2025-11-25"'])('legacy: initialize with the claim %s', async (claim) => {
    const answer = await harness.client.post(modern('initialize').replace('"2026-07-28"', claim))
    expect(era()).toBe('legacy')
    expect(answer.headers['mcp-session-id']).toBeDefined()
  })

  it.each(['2026-07-28', '2099-01-01'])('modern: a body that claims %s', async (revision) => {
    const body = modern('tools/list').replace('2026-07-28', revision)
    await harness.client.post(body, { ...modernHeaders('tools/list'), 'mcp-protocol-version': revision })
    expect(era()).toBe('modern')
  })

  it.each(['5', 'null', '{}'])('modern, for the backend to refuse: a body with the claim %s', async (claim) => {
    await harness.client.post(modern('tools/list').replace('"2026-07-28"', claim))
    expect(era()).toBe('modern')
  })

  it('legacy: no claim at all, and a header of a legacy revision or none', async () => {
    for (const headers of [{}, { 'mcp-protocol-version': '2025-06-18' }, { 'mcp-protocol-version': '2024-11-05' }]) {
      await harness.client.post(legacy('tools/list'), headers)
      expect(era()).toBe('legacy')
    }
  })

  it('legacy: GET, DELETE and a posted response', async () => {
    const headers = await openSession(harness)
    expect((await harness.client.events(headers)).status).toBe(200)
    expect((await harness.client.post('{"jsonrpc":"2.0","id":1,"result":{}}', headers)).status).toBe(202)
    expect((await harness.client.request('DELETE', '/mcp', headers).head()).status).toBe(200)
  })

  it('neither: a header of the modern era without a claim is 400, -32602', async () => {
    const answer = await harness.client.post(legacy('tools/list'), modernHeaders('tools/list'))
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).error.code).toBe(-32602)
    expect(harness.target.calls).toEqual([])
  })
})

/** Digest 10 section 4: what each legacy revision has. */
describe('a session of each legacy revision', () => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('%s: minted, streamed to, answered, ended', async (revision) => {
    const headers = await openSession(harness, revision)
    const stream = await harness.client.events(headers)
    expect((await harness.client.post(legacy('tools/list'), headers)).status).toBe(200)
    expect((await harness.client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)).status).toBe(
      202,
    )
    expect((await harness.client.request('DELETE', '/mcp', headers).head()).status).toBe(200)
    expect((await stream.whole()).status).toBe(200)
    expect((await harness.client.post(legacy('tools/list'), headers)).status).toBe(404)
  })

  it('goes without a GET stream as well', async () => {
    const headers = await openSession(harness)
    for (let count = 0; count < 3; count++) {
      expect((await harness.client.post(legacy('tools/call', {}, count), headers)).status).toBe(200)
    }
  })
})
