import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EdgeHarness, edgeHarness, legacy } from '../../../../test/fixtures/edge/edge-harness.ts'

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness({ limits: { maxHeldBodyOctets: 100_000 } })
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

/** Two of these are more than the edge may hold. */
const body = (id: number): string => legacy('tools/call', { text: 'x'.repeat(60_000) }, id)

describe('request bodies beyond what one edge may hold', () => {
  it('are refused while a call holds its own, and taken when it has ended', async () => {
    const { client, target } = harness
    const first = client.send(body(1))
    const call = await target.callNumber(0)
    const refused = await client.post(body(2))
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(JSON.parse(refused.body).error).toMatchObject({
      code: -33113,
      message: expect.stringContaining('100000 octets, a fixed limit'),
      data: { causeway: { code: 'QuotaExceeded', delivery: 'not_sent' } },
    })
    call.result()
    expect((await (await first.head()).whole()).status).toBe(200)
    target.script = (next) => next.result()
    expect((await client.post(body(3))).status).toBe(200)
  })

  it('are refused while another is being read, and taken when its client has gone', async () => {
    const { client, target } = harness
    target.script = (call) => call.result()
    const slow = client.send(body(1), { 'content-length': '70000' })
    const statusOfAnother = async () => (await client.post(body(2))).status
    await expect.poll(statusOfAnother).toBe(503)
    slow.disconnect()
    await expect.poll(statusOfAnother).toBe(200)
  })

  it('are counted for calls that their client has left, as in the legacy era they go on', async () => {
    const { client, target, edge } = harness
    const deserted = client.send(body(1))
    const call = await target.callNumber(0)
    deserted.disconnect()
    await expect.poll(() => edge.openExchanges).toBe(0)
    expect((await client.post(body(2))).status).toBe(503)
    call.result()
    target.script = (next) => next.result()
    expect((await client.post(body(3))).status).toBe(200)
  })

  it('do not keep small requests out', async () => {
    const { client, target } = harness
    client.send(body(1))
    await target.callNumber(0)
    target.script = (call) => call.result()
    expect((await client.post(legacy('tools/list'))).status).toBe(200)
  })
})
