import { beforeEach, expect, it } from 'vitest'
import { bootId } from '../../../test/fixtures/control-plane/instance.ts'
import { KubeVirtualClock } from '../../../test/fixtures/kube/virtual-clock.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { Acceptance, InstanceName } from './instance.ts'
import { Roster } from './roster.ts'

const ROUTE = 'MeshRoute default/everything'
const RELAY = 'default/edge'
const ACCEPTED: Acceptance = { versionHex: 'aa', refusal: undefined }

let clock: KubeVirtualClock
let roster: Roster

beforeEach(() => {
  clock = new KubeVirtualClock()
  const label = (relay: string, ordinal: number): string => `${relay}-${ordinal}`
  roster = new Roster({ clock, label, onChanged: () => {}, onCount: () => {} })
})

const started = (n: number): InstanceName => ({
  ...{ namespace: 'default', relay: 'edge', ordinal: 0, relayUid: '' },
  bootId: bootId(n),
})

const accepts = (instance: InstanceName): void =>
  roster.changed(instance, { acceptances: new Map([[ROUTE, ACCEPTED]]), status: undefined })

const seen = () =>
  roster
    .concerned(ROUTE, [RELAY])
    .map(({ instance, isConnected, acceptance }) => [instance.bootId, isConnected, acceptance?.versionHex])

it(`${requirement('CTL-018')} an open stream of a newer process outranks what another replica says of an older one`, () => {
  accepts(started(2))
  roster.changed(started(1), { acceptances: new Map([[ROUTE, ACCEPTED]]), status: undefined }, new Object())
  expect(seen()).toEqual([[bootId(2), true, 'aa']])
})

it(`${requirement('CTL-018')} a process on a clock that is behind takes the place of one whose stream has ended`, () => {
  accepts(started(2))
  roster.gone(started(2))
  accepts(started(1))
  expect(seen()).toEqual([[bootId(1), true, 'aa']])
  // What the former one said is over, and so is waiting for it.
  clock.advance(120_000)
  expect(seen()).toEqual([[bootId(1), true, 'aa']])
})

it(`${requirement('CTL-018')} an instance that has moved to another replica stays, in whatever order the two say it`, () => {
  const [before, after] = [new Object(), new Object()]
  const change = { acceptances: new Map([[ROUTE, ACCEPTED]]), status: undefined }
  roster.changed(started(1), change, before)
  roster.changed(started(1), change, after)
  roster.gone(started(1), before)
  clock.advance(120_000)
  expect(seen()).toEqual([[bootId(1), true, 'aa']])
  roster.gone(started(1), after)
  expect(seen()).toEqual([[bootId(1), false, 'aa']])
  roster.changed(started(1), change, before)
  clock.advance(120_000)
  expect(seen()).toEqual([[bootId(1), true, 'aa']])
})

it('a process on a clock that is behind counts with all that it said, once the stream of its predecessor is known to be over', () => {
  const other = new Object()
  const change = { acceptances: new Map([[ROUTE, { versionHex: 'bb', refusal: undefined }]]), status: undefined }
  accepts(started(2))
  roster.changed(started(1), change, other)
  expect(seen()).toEqual([[bootId(2), true, 'aa']])
  roster.gone(started(2))
  expect(seen()).toEqual([[bootId(1), true, 'bb']])
})

it('a process that waited and has gone does not come back', () => {
  const other = new Object()
  accepts(started(2))
  roster.changed(started(1), { acceptances: new Map([[ROUTE, ACCEPTED]]), status: undefined }, other)
  roster.gone(started(1), other)
  roster.gone(started(2))
  expect(seen()).toEqual([[bootId(2), false, 'aa']])
})
