import { inProcessConfigChannel, type RelayIdentity, type Route } from '@causeway/rpc'
import { createMetrics } from '@causeway/telemetry'
import { expect, it, onTestFinished } from 'vitest'
import type { ConfigurationChange, Refusal } from '../../services/relay/config-store/contract.ts'
import { startControlledRelay } from '../../services/relay/control/controlled-relay.ts'
import { LiveRelayDouble } from '../fixtures/control/live-relay-double.ts'
import { MemoryFolder } from '../fixtures/control/memory-folder.ts'
import { collectingLogger } from '../fixtures/control/quiet-logger.ts'
import { aBackend, aRelay, aRoute, told } from '../fixtures/control-plane/objects.ts'
import { aControlPlane } from '../fixtures/control-plane/running.ts'

const LAG_S = 30
const MOVE_AFTER_S = 20
const SECONDS = 10 * MOVE_AFTER_S + 25

/** A relay is asked to move after this time, because its certificate says that it is one with an age. */
const TIMING = { minAgeMs: MOVE_AFTER_S * 1_000, maxAgeMs: MOVE_AFTER_S * 1_000, moveMs: 5_000 }
const IDENTITY: RelayIdentity = {
  namespace: 'default',
  relay: 'edge',
  uid: '',
  certificateEndsAtMs: Date.UTC(2100, 0, 1),
}

/** The path says how new a route is. */
const at = (second: number) => told(second, [aRoute('everything', { path: `/at-${second}` })])
const secondOf = ({ path }: Route) => Number(/-([0-9]+)$/.exec(path)?.[1] ?? 0)

/** Remembers how new the route was that came into force, each time. */
class RememberingLive extends LiveRelayDouble {
  readonly seconds: number[] = []

  override async apply(change: ConfigurationChange): Promise<readonly Refusal[]> {
    for (const resource of change.upserts) if (resource.kind === 'route') this.seconds.push(secondOf(resource.message))
    return await super.apply(change)
  }
}

it('a relay that moves ten times between two control planes, one of which lags 30 s, never goes back', async () => {
  const [prompt, lagging] = [aControlPlane({ timing: TIMING }), aControlPlane({ timing: TIMING })]
  onTestFinished(async () => {
    for (const { plane } of [prompt, lagging]) await plane.close()
  })
  for (const { source } of [prompt, lagging]) {
    source.tell(told(1, [aRelay(), aBackend(), aRoute('everything', { path: '/at-1' })]))
    source.synced()
  }
  let now = 1
  // Its watch lags, also after a consistent list; the list does not.
  let listedAt = 1
  lagging.source.onList = () => {
    listedAt = now
    return at(now)
  }
  prompt.source.onList = () => at(now)

  const live = new RememberingLive()
  const { logger } = collectingLogger()
  const opened: string[] = []
  const channels = [prompt, lagging].map(({ plane }, index) => {
    const target = ['prompt', 'lagging'][index] ?? ''
    const channel = inProcessConfigChannel((identity, stream) => {
      opened.push(target)
      return plane.serve(identity, stream)
    }, IDENTITY)
    return { ...channel, target }
  })
  const { clock } = prompt
  const relay = await startControlledRelay({
    instance: {
      namespace: 'default',
      relay: 'edge',
      ordinal: 0,
      bootId: '01920000-0000-7000-8000-000000000000',
      softwareVersion: '1',
    },
    live,
    channels,
    folder: new MemoryFolder(),
    clock,
    wallNow: () => clock.wallNow(),
    random: () => 0.5,
    logger,
    metrics: createMetrics(),
  })
  onTestFinished(() => relay.stop())

  for (let second = 2; second <= SECONDS; second++) {
    now = second
    prompt.source.tell(at(second))
    if (second - LAG_S > listedAt) lagging.source.tell(at(second - LAG_S))
    await Promise.all([clock.pass(1_000, 100), lagging.clock.pass(1_000, 100)])
  }

  expect(opened.length).toBeGreaterThanOrEqual(11)
  expect(new Set(opened)).toEqual(new Set(['prompt', 'lagging']))
  // Each time that the relay comes with something newer.
  expect(lagging.source.lists).toBeGreaterThanOrEqual(5)
  const sorted = live.seconds.toSorted((one, other) => one - other)
  expect(live.seconds).toEqual(sorted)
  expect(now - (live.seconds.at(-1) ?? 0)).toBeLessThanOrEqual(LAG_S)
  expect(relay.ready().ok).toBe(true)
})
