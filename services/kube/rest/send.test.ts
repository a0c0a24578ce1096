import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CONFIG_MAPS } from '../../../test/fixtures/kube/objects.ts'
import { type Answer, page, type ScriptedApi, scriptedApi } from '../../../test/fixtures/kube/scripted-api.ts'

const closed: Answer = (response) => response.destroy()

let api: ScriptedApi
beforeEach(async () => {
  api = await scriptedApi()
})
afterEach(() => api.stop())

const list = () => api.client.list({ type: CONFIG_MAPS })

describe('a connection that the API server closes while we send on it', () => {
  test('a read is sent again on another one', async () => {
    api.script(page('10', []), closed, page('11', []))
    await list()
    expect((await list()).resourceVersion).toBe('11')
    expect(api.requests).toEqual(['list', 'list', 'list'])
  })

  test('a write is not: it may have been done', async () => {
    api.script(page('10', []), closed)
    await list()
    const write = api.client.delete(CONFIG_MAPS, { namespace: 'ns', name: 'a' })
    await expect(write).rejects.toMatchObject({ code: 'Unreachable' })
    expect(api.requests).toHaveLength(2)
  })

  test('a new one that is closed means that the API server is not there', async () => {
    api.script(closed)
    await expect(list()).rejects.toMatchObject({ code: 'Unreachable' })
    expect(api.requests).toHaveLength(1)
  })
})

describe('an answer', () => {
  test('that never comes ends at the deadline', async () => {
    const listed = api.client.list({ type: CONFIG_MAPS, timeoutMs: 50 })
    await expect(listed).rejects.toMatchObject({
      code: 'Timeout',
      message: 'list configmaps: no complete answer within 50 ms',
    })
  })

  test('that nobody waits for any more ends at once', async () => {
    const abort = new AbortController()
    const listed = api.client.list({ type: CONFIG_MAPS, signal: abort.signal })
    abort.abort()
    await expect(listed).rejects.toMatchObject({ code: 'Aborted' })
  })

  test.each([
    { name: 'is no JSON', text: 'moved', code: 'BadResponse' },
    { name: 'is a list of no version', text: '{"items":[]}', code: 'BadResponse' },
    { name: 'is nothing', text: '', code: 'BadResponse' },
  ])('that $name is told as $code', async ({ text, code }) => {
    api.script((response) => response.end(text))
    await expect(list()).rejects.toMatchObject({ code })
  })

  test('of an error without a Status has the number', async () => {
    api.script((response) => {
      response.statusCode = 503
      response.setHeader('retry-after', '3')
      response.end('<html>')
    })
    await expect(list()).rejects.toMatchObject({
      code: 'ServerError',
      message: 'list configmaps: HTTP 503',
      retryAfterMs: 3_000,
    })
  })
})
