import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../../test/cluster/wait.ts'
import { CONFIG_MAPS } from '../../../test/fixtures/kube/objects.ts'
import {
  type Answer,
  bookmark,
  cutOff,
  errorEvent,
  event,
  page,
  refusal,
  type ScriptedApi,
  scriptedApi,
  watch,
} from '../../../test/fixtures/kube/scripted-api.ts'
import { KubeVirtualClock } from '../../../test/fixtures/kube/virtual-clock.ts'
import { Reflector } from './reflector.ts'

let api: ScriptedApi
let reflector: Reflector<{ metadata: { name: string } }> | undefined
let log: string[]
beforeEach(async () => {
  api = await scriptedApi()
  log = []
})
afterEach(async () => {
  await reflector?.stop()
  await api.stop()
})

function start(timing = { backoffInitialMs: 2, backoffMaxMs: 5 }): void {
  reflector = new Reflector(
    {
      client: api.client,
      type: CONFIG_MAPS,
      namespace: 'ns',
      random: () => 0,
      timing,
    },
    {
      upsert: ({ metadata }) => log.push(`+${metadata.name}`),
      remove: ({ metadata }) => log.push(`-${metadata.name}`),
      listed: (version) => log.push(`listed ${version}`),
      position: (version) => log.push(`at ${version}`),
      failing: ({ code }) => log.push(code),
    },
  )
  reflector.start()
}

async function told(entry: string): Promise<void> {
  await until(`${entry} is told`, () => log.includes(entry), { timeoutMs: 10_000, intervalMs: 2 })
}

describe('a reflector', () => {
  test('lists page by page and watches from where the list was', async () => {
    api.script(page('10', ['a@1'], 'next'), page('10', ['b@2']), watch([event('ADDED', 'c@11'), bookmark('15')]))
    start()
    await told('at 15')
    expect(log).toEqual(['+a', '+b', 'listed 10', '+c', 'at 11', 'at 15'])
    expect(api.requests).toEqual(['list', 'list from next', 'watch@10'])
  })

  test('goes on from the last bookmark when a watch breaks', async () => {
    api.script(page('10', ['a@1']), watch([bookmark('15')], 'break'), watch([event('MODIFIED', 'a@16')]))
    start()
    await told('at 16')
    expect(log).toEqual(['+a', 'listed 10', 'at 15', 'Unreachable', '+a', 'at 16'])
    expect(api.requests).toEqual(['list', 'watch@10', 'watch@15'])
  })

  test.each([
    { name: 'in the answer', expired: refusal(410, 'Expired') },
    { name: 'in the watch', expired: watch([errorEvent(410, 'Expired')]) },
  ])('lists again when its version has expired, told $name', async ({ expired }) => {
    api.script(page('10', ['a@1', 'b@2']), expired, page('20', ['b@2', 'c@19']), watch([]))
    start()
    await told('listed 20')
    expect(log).toEqual(['+a', '+b', 'listed 10', 'Expired', '-a', '+c', 'listed 20'])
  })

  test('lists again when the API server has gone back behind its version, and its position goes back too', async () => {
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
    const tooLarge = refusal(504, 'Timeout', { details: { causes, retryAfterSeconds: 0 } })
    api.script(page('100', ['a@90', 'b@95']), tooLarge, page('70', ['a@60']), watch([]))
    start()
    await told('listed 70')
    expect(log).toEqual(['+a', '+b', 'listed 100', 'Expired', '-b', '+a', 'listed 70'])
    expect(reflector?.position).toBe('70')
  })

  test('a list that fails on the way changes nothing', async () => {
    api.script(
      page('10', ['a@1', 'b@2']),
      watch([errorEvent(410, 'Expired')]),
      page('20', ['c@19'], 'next'),
      refusal(410, 'Expired'),
      cutOff('{"apiVersion":"v1","items":[{"metadata":{"namespace":"ns","name":"d"'),
      refusal(404, 'NotFound'),
      page('30', ['a@1', 'b@2']),
      watch([]),
    )
    start()
    await told('listed 30')
    expect(log).toEqual(['+a', '+b', 'listed 10', 'Expired', 'Expired', 'Unreachable', 'NotFound', 'listed 30'])
  })

  test.each([
    { name: 'no JSON', line: '{"type":' },
    { name: 'an event of no known type', line: { type: 'RENAMED', object: { metadata: { resourceVersion: '11' } } } },
    { name: 'an event without a version', line: { type: 'ADDED', object: { metadata: { name: 'x' } } } },
  ])('$name in a watch is told, and the next watch goes on', async ({ line }) => {
    api.script(page('10', []), watch([line]), watch([event('ADDED', 'a@12')]))
    start()
    await told('at 12')
    expect(log).toEqual(['listed 10', 'BadResponse', '+a', 'at 12'])
  })

  test('whoever asks for a list gets the first one that succeeds', async () => {
    api.script(page('10', ['a@1']), watch([]), refusal(500, 'InternalError'), page('20', ['a@1']), watch([]))
    start()
    await told('listed 10')
    expect(await reflector?.relist()).toBe('20')
    expect(log).toEqual(['+a', 'listed 10', 'ServerError', 'listed 20'])
  })

  test('a list that is asked for during a list is another one', async () => {
    let answerFirst = () => {}
    api.script(
      (response, url) => {
        answerFirst = () => page('10', ['a@1'])(response, url)
      },
      page('20', ['a@1', 'b@15']),
      watch([]),
    )
    start()
    await until('it lists', () => api.requests.length === 1)
    const relisted = reflector?.relist()
    answerFirst()
    expect(await relisted).toBe('20')
    expect(log).toEqual(['+a', 'listed 10', '+b', 'listed 20'])
  })
})

describe('a reflector whose API server does not do its work', () => {
  const clock = new KubeVirtualClock()
  /** When each request came. */
  let times: number[]
  beforeEach(async () => {
    await api.stop()
    api = await scriptedApi(clock)
    times = []
  })

  const timed =
    (answer: Answer): Answer =>
    (response, url) => {
      times.push(clock.now())
      answer(response, url)
    }

  async function requested(count: number): Promise<void> {
    const passed = async () => {
      if (times.length < count) await clock.pass(100, 10)
      return times.length >= count
    }
    await until(`${count} requests came`, passed, { intervalMs: 1 })
  }

  test('waits as long as the API server asks', async () => {
    const later = refusal(429, 'TooManyRequests', { details: { retryAfterSeconds: 7 } })
    api.script(timed(later), timed(page('10', [])), watch([]))
    start()
    await requested(2)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(7_000)
  })

  test('asks for a watch that ends at once later and later', async () => {
    api.script(timed(page('10', [])), ...Array.from({ length: 5 }, () => timed(watch([], 'end'))))
    start({ backoffInitialMs: 200, backoffMaxMs: 800 })
    await requested(6)
    const waits = times.slice(2).map((time, index) => time - (times[index + 1] ?? 0))
    for (const [index, leastMs] of [100, 200, 400, 400].entries()) expect(waits[index]).toBeGreaterThanOrEqual(leastMs)
  })
})
