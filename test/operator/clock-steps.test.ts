import { X509Certificate } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, systemClock } from '@causeway/kube'
import { describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { text } from './kube.ts'
import { useOperatorStand } from './stand.ts'
import { startUnfenced } from './unfenced.ts'

const stand = useOperatorStand()

const HOUR_MS = 3_600_000

/** The system's clocks, of which the one on the wall can be set. */
class SettableClock implements Clock {
  readonly #system = systemClock()
  aheadMs = 0
  now = () => this.#system.now()
  wallNow = () => this.#system.wallNow() + this.aheadMs
  setTimeout = (callback: () => void, ms: number) => this.#system.setTimeout(callback, ms)
  clearTimeout = (handle: unknown) => this.#system.clearTimeout(handle)
}

describe('an operator whose wall clock is set', { timeout: 120_000 }, () => {
  it('issues certificates that hold by its clock, and again when it is set back', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'edge', {})
    const clock = new SettableClock()
    const operator = await startUnfenced(stand(), clock)
    const certificate = async () => {
      const secret = await kube.find('Secret', 'shop', 'causeway-edge-client')
      return secret === undefined ? undefined : new X509Certificate(text(secret, 'tls.crt'))
    }
    /** Something happens to the relay: a clock that was set is no event. */
    let touches = 0
    const touch = () =>
      kube.patch('MeshRelay', 'shop', 'edge', { metadata: { labels: { touched: String(touches++) } } })
    const holdsNow = async () => {
      await touch()
      const found = await certificate()
      return (
        found !== undefined &&
        found.validFromDate.getTime() <= clock.wallNow() &&
        clock.wallNow() < found.validToDate.getTime()
      )
    }
    try {
      await until('there is a certificate', holdsNow)
      clock.aheadMs = 48 * HOUR_MS
      await until('it holds two days later', holdsNow, { intervalMs: 200 })
      clock.aheadMs = -48 * HOUR_MS
      await until('and two days ago', holdsNow, { intervalMs: 200 })
      clock.aheadMs = 0
      await until('and now', holdsNow, { intervalMs: 200 })
    } finally {
      await operator.stop()
    }
  })

  it('does not switch to a key that peers of the mesh have not accepted, and loses none when set back', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'tools', { identity: { rotation: { overlap: '168h' } } })
    await kube.write('MeshPeer', 'shop', 'tools', {
      relayRefs: [{ name: 'edge' }],
      addresses: ['npamp://tools:7443'],
      identityFrom: { relayRef: { name: 'tools' } },
    })
    const clock = new SettableClock()
    const operator = await startUnfenced(stand(), clock)
    const identity = async () => (await kube.get('MeshRelay', 'shop', 'tools')).status?.identity
    const annotate = (annotations: object) => kube.patch('MeshRelay', 'shop', 'tools', { metadata: { annotations } })
    try {
      const first = await until('there is a key', identity)
      await kube.report('MeshPeer', 'shop', 'tools', [
        { namespace: 'shop', relay: 'edge', instance: 'causeway-edge-0', handles: [first.peerHandle] },
      ])
      await annotate({ 'mesh.causeway.dev/rotate-identity': 'now' })
      const announced = await until('the next key is announced', async () => {
        const now = await identity()
        return now.state === 'Announced' ? now : undefined
      })
      for (const aheadMs of [30 * 24 * HOUR_MS, -30 * 24 * HOUR_MS, 0]) {
        clock.aheadMs = aheadMs
        await annotate({ 'example.com/now': String(aheadMs) })
        await delay(1_000)
        expect(await identity()).toMatchObject({
          state: 'Announced',
          peerHandle: first.peerHandle,
          next: announced.next,
        })
      }
    } finally {
      await operator.stop()
    }
  })
})
