import { metrics as globalMetrics } from '@opentelemetry/api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePrometheus } from '../fixtures/parse-prometheus.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { MAX_SERIES } from './series.ts'

const PEER = { peer: 'default/tools' }

async function samplesOf(metrics: Metrics, name: string) {
  const { samples } = parsePrometheus(await metrics.text())
  return samples.filter((sample) => sample.name === name).map(({ labels, value }) => ({ labels, value }))
}

describe('counting', () => {
  it('a handle and the name count in the same series', async () => {
    const metrics = createMetrics()
    const handle = metrics.counter('causeway_frames_sent_total', PEER)
    handle.add()
    handle.add(4)
    metrics.add('causeway_frames_sent_total', 5, PEER)
    metrics.add('causeway_frames_sent_total', 1, { peer: 'default/other' })
    expect(metrics.value('causeway_frames_sent_total', PEER)).toBe(10)
    expect(metrics.total('causeway_frames_sent_total')).toBe(11)
    expect(await samplesOf(metrics, 'causeway_frames_sent_total')).toEqual([
      { labels: PEER, value: 10 },
      { labels: { peer: 'default/other' }, value: 1 },
    ])
  })

  it('the order in which labels are written does not matter', () => {
    const metrics = createMetrics()
    metrics.add('causeway_exchanges_total', 1, { side: 'edge', outcome: 'result' })
    metrics.add('causeway_exchanges_total', 1, { outcome: 'result', side: 'edge' })
    expect(metrics.value('causeway_exchanges_total', { side: 'edge', outcome: 'result' })).toBe(2)
  })

  it('gauges go both ways', async () => {
    const metrics = createMetrics()
    metrics.set('causeway_exchanges_open', 7, { side: 'edge' })
    metrics.gauge('causeway_exchanges_open', { side: 'edge' }).add(-3)
    expect(await samplesOf(metrics, 'causeway_exchanges_open')).toEqual([{ labels: { side: 'edge' }, value: 4 }])
  })

  it('sources add up; a counter keeps what an ended one had counted, a gauge forgets it', async () => {
    const metrics = createMetrics()
    let frames = 10
    const ends = [
      metrics.observe('causeway_frames_sent_total', () => frames, PEER),
      metrics.observe('causeway_frames_sent_total', () => 5, PEER),
      metrics.observe('causeway_associations_open', () => 2, PEER),
    ]
    expect(metrics.value('causeway_frames_sent_total', PEER)).toBe(15)
    frames = 12
    expect(metrics.value('causeway_frames_sent_total', PEER)).toBe(17)
    for (const end of ends) end()
    for (const end of ends) end()
    frames = 1_000
    expect(metrics.value('causeway_frames_sent_total', PEER)).toBe(17)
    expect(await samplesOf(metrics, 'causeway_associations_open')).toEqual([{ labels: PEER, value: 0 }])
  })

  it('two relays of one process share nothing', () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.add('causeway_link_ops_ignored_total', 3)
    expect(other.value('causeway_link_ops_ignored_total')).toBe(0)
  })

  it('series are bounded: what comes later is counted together', async () => {
    const metrics = createMetrics()
    for (let peer = 0; peer < MAX_SERIES + 100; peer++)
      metrics.add('causeway_frames_sent_total', 1, { peer: `p${peer}` })
    const samples = await samplesOf(metrics, 'causeway_frames_sent_total')
    expect(samples).toHaveLength(MAX_SERIES + 1)
    expect(samples.at(-1)).toEqual({ labels: { peer: 'other' }, value: 100 })
    expect(metrics.total('causeway_frames_sent_total')).toBe(MAX_SERIES + 100)
  })
})

describe('the Prometheus text', () => {
  it('has HELP and TYPE of each metric once, and no labels or metrics but ours', async () => {
    const metrics = createMetrics()
    metrics.add('causeway_frames_sent_total', 1, PEER)
    metrics.record('causeway_handshake_duration_seconds', 0.02, { role: 'initiator' })
    metrics.set('causeway_associations_open', 1, PEER)
    const text = await metrics.text()
    const { types, help, samples } = parsePrometheus(text)
    expect(text).not.toMatch(/otel|target_info/)
    expect(types.get('causeway_frames_sent_total')).toBe('counter')
    expect(types.get('causeway_associations_open')).toBe('gauge')
    expect(types.get('causeway_handshake_duration_seconds')).toBe('histogram')
    expect([...help.keys()].sort()).toEqual([...types.keys()].sort())
    for (const { name } of samples) {
      expect(types.has(name.replace(/_(bucket|sum|count)$/, '')) || types.has(name), name).toBe(true)
    }
  })

  it('a metric without labels is there from the start, at 0', async () => {
    expect(await samplesOf(createMetrics(), 'causeway_link_ops_ignored_total')).toEqual([{ labels: {}, value: 0 }])
  })

  it('histograms are cumulative, bounds inclusive', async () => {
    const metrics = createMetrics()
    const handle = metrics.histogram('causeway_handshake_duration_seconds', { role: 'initiator' })
    for (const seconds of [0.001, 0.0011, 0.1, 99]) handle.record(seconds)
    const buckets = await samplesOf(metrics, 'causeway_handshake_duration_seconds_bucket')
    const at = (le: string) => buckets.find(({ labels }) => labels.le === le)?.value
    expect([at('0.001'), at('0.0025'), at('0.05'), at('0.1'), at('5'), at('+Inf')]).toEqual([1, 2, 2, 3, 3, 4])
    expect(await samplesOf(metrics, 'causeway_handshake_duration_seconds_count')).toEqual([
      { labels: { role: 'initiator' }, value: 4 },
    ])
    const [sum] = await samplesOf(metrics, 'causeway_handshake_duration_seconds_sum')
    expect(sum?.value).toBeCloseTo(99.1021)
  })

  it('label values come back as they were, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 5 }),
        async (peers) => {
          const metrics = createMetrics()
          peers.forEach((peer, index) => {
            metrics.set('causeway_associations_open', index, { peer })
          })
          const samples = await samplesOf(metrics, 'causeway_associations_open')
          expect(samples).toEqual(peers.map((peer, index) => ({ labels: { peer }, value: index })))
        },
      ),
      { numRuns: 50, examples: [[['\r', '\u2028', '"\\\n']]] },
    )
  })

  it('registers nothing globally', async () => {
    const before = globalMetrics.getMeterProvider()
    await createMetrics().text()
    expect(globalMetrics.getMeterProvider()).toBe(before)
  })
})
