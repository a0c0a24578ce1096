import { request } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { parsePrometheus } from '../fixtures/parse-prometheus.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { type Admin, type AdminOptions, startAdmin } from './admin.ts'

const running: Admin[] = []
afterEach(async () => {
  for (const admin of running.splice(0)) await admin.close()
})

async function start(options: Partial<AdminOptions> = {}): Promise<Admin> {
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    metrics: createMetrics(),
    ready: () => ({ ok: true, reasons: [] }),
    ...options,
  })
  running.push(admin)
  return admin
}

const get = (admin: Admin, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${admin.address.port}${path}`, init)

describe('the admin listener', () => {
  it('/healthz answers while the process turns', async () => {
    const response = await get(await start(), '/healthz')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  it('/readyz says why not', async () => {
    let reasons: string[] = ['mcp listener is closed']
    const admin = await start({ ready: () => ({ ok: reasons.length === 0, reasons }) })
    const refused = await get(admin, '/readyz')
    expect([refused.status, await refused.json()]).toEqual([503, { status: 'not ready', reasons }])
    reasons = []
    const ready = await get(admin, '/readyz?verbose')
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', reasons: [] }])
  })

  it('/metrics is what Prometheus reads', async () => {
    const metrics = createMetrics()
    metrics.add('causeway_frames_sent_total', 3, { peer: 'default/tools' })
    const response = await get(await start({ metrics }), '/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const { samples } = parsePrometheus(await response.text())
    expect(samples).toContainEqual({ name: 'causeway_frames_sent_total', labels: { peer: 'default/tools' }, value: 3 })
  })

  it('further documents are JSON, as they are when asked for', async () => {
    let count = 0
    const admin = await start({ documents: new Map([['/status', () => ({ count: ++count })]]) })
    expect(await (await get(admin, '/status')).json()).toEqual({ count: 1 })
    expect(await (await get(admin, '/status?x=y')).json()).toEqual({ count: 2 })
    expect((await get(admin, '/status', { method: 'POST' })).status).toBe(405)
    expect((await get(await start(), '/status')).status).toBe(404)
  })

  it('HEAD answers the head only', async () => {
    const response = await get(await start(), '/healthz', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '16', ''])
  })

  it.each(['/', '/metric', '/metrics/', '/healthz/../metrics%00'])('%s is 404', async (path) => {
    expect((await get(await start(), path)).status).toBe(404)
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
    '%s is 405, says what is allowed, and reads no body',
    async (method) => {
      const admin = await start()
      const body = method === 'OPTIONS' ? {} : { body: 'x'.repeat(1024) }
      const response = await get(admin, '/metrics', { method, ...body })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      if (method !== 'OPTIONS') expect(response.headers.get('connection')).toBe('close')
    },
  )

  it('a page of the web reads nothing', async () => {
    const admin = await start()
    expect((await get(admin, '/metrics', { headers: { origin: 'https://evil.example.com' } })).status).toBe(403)
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const options = { port: admin.address.port, path: '/metrics', headers: { host: 'evil.example.com' } }
      request(options, (response) => textOf(response).then(() => resolve(response.statusCode), reject))
        .on('error', reject)
        .end()
    })
    expect(rebound).toBe(403)
  })

  it('metrics that cannot be collected are a 500, and the next request is served', async () => {
    let broken = true
    const metrics = { text: () => (broken ? Promise.reject(new Error('no')) : Promise.resolve('')) }
    const admin = await start({ metrics })
    expect((await get(admin, '/metrics')).status).toBe(500)
    broken = false
    expect((await get(admin, '/metrics')).status).toBe(200)
  })

  it('headers beyond the limit are refused, not kept', async () => {
    const response = await get(await start(), '/healthz', { headers: { 'x-large': 'x'.repeat(10_000) } })
    expect(response.status).toBe(431)
  })

  it('an address in use is an error of the caller', async () => {
    const { address } = await start()
    await expect(start({ port: address.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('close ends open connections', async () => {
    const admin = await start()
    const idle = connect(admin.address.port, '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    const ended = new Promise((resolve) => idle.once('close', resolve))
    await admin.close()
    await ended
    await expect(get(admin, '/healthz')).rejects.toThrow()
  })
})
