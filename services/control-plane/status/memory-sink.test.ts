import { describe, expect, it } from 'vitest'
import { KubeVirtualClock } from '../../../test/fixtures/kube/virtual-clock.ts'
import { MemoryStatus } from './memory-sink.ts'
import type { ObjectStatus, Truth } from './object-status.ts'

const said = (status: Truth, reason: string, type = 'Programmed') => ({
  ...{ type, status, reason, message: '' },
  observedGeneration: 1,
})

const aStatus = (...conditions: ObjectStatus['conditions']): ObjectStatus => ({
  ...{ kind: 'MeshRoute', name: 'default/a', uid: '', relays: [], relayCount: 0 },
  conditions,
})

function aSink() {
  const clock = new KubeVirtualClock()
  const sink = new MemoryStatus(clock)
  const since = () => sink.get('MeshRoute', 'default/a')?.conditions.map((one) => one.lastTransitionTime)
  return { clock, sink, since }
}

describe('statuses without Kubernetes', () => {
  it('are as they were written last, until the object is gone', () => {
    const { sink } = aSink()
    expect(sink.get('MeshRoute', 'default/a')).toBeUndefined()
    sink.write(aStatus(said('Unknown', 'Pending')))
    sink.write({ ...aStatus(said('True', 'Programmed')), relayCount: 2 })
    expect(sink.get('MeshRoute', 'default/a')).toMatchObject({
      conditions: [{ status: 'True', reason: 'Programmed' }],
      relayCount: 2,
    })
    expect(sink.get('MeshPeer', 'default/a')).toBeUndefined()
    sink.forget('MeshPeer', 'default/a')
    expect(sink.get('MeshRoute', 'default/a')).toBeDefined()
    sink.forget('MeshRoute', 'default/a')
    expect(sink.get('MeshRoute', 'default/a')).toBeUndefined()
  })

  it('say since when a condition has its status, whole seconds as an API server has them', () => {
    const { clock, sink, since } = aSink()
    sink.write(aStatus(said('False', 'One')))
    expect(since()).toEqual(['2026-01-01T00:00:01Z'])
    clock.advance(10_500)
    // Another reason is no other status; another type has a time of its own.
    sink.write(aStatus(said('False', 'Two'), said('False', 'One', 'Reachable')))
    expect(since()).toEqual(['2026-01-01T00:00:01Z', '2026-01-01T00:00:11Z'])
    clock.advance(10_000)
    sink.write(aStatus(said('True', 'Three'), said('False', 'One', 'Reachable')))
    expect(since()).toEqual(['2026-01-01T00:00:21Z', '2026-01-01T00:00:11Z'])
  })

  it('begin anew for an object that was gone', () => {
    const { clock, sink, since } = aSink()
    sink.write(aStatus(said('True', 'One')))
    sink.forget('MeshRoute', 'default/a')
    clock.advance(5_000)
    sink.write(aStatus(said('True', 'One')))
    expect(since()).toEqual(['2026-01-01T00:00:06Z'])
  })
})
