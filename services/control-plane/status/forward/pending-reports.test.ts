import type { InstanceId } from '@causeway/rpc'
import { expect, it } from 'vitest'
import { bootId } from '../../../../test/fixtures/control-plane/instance.ts'
import type { InstanceName } from '../instance.ts'
import { PendingReports } from './pending-reports.ts'

const started = (n: number): InstanceName => ({
  ...{ namespace: 'default', relay: 'edge', ordinal: 0, relayUid: '' },
  bootId: bootId(n),
})
const NOTHING = { acceptances: new Map(), status: undefined }

function told(pending: PendingReports) {
  const bootIdOf = (id: InstanceId | undefined) => id?.bootId
  const { instances, gone } = pending.take()
  return { there: instances.map(({ id }) => bootIdOf(id)), gone: gone.map(bootIdOf) }
}

it('what came back before it was told that it had gone is there', () => {
  const pending = new PendingReports(() => {})
  pending.gone(started(1))
  pending.changed(started(1), NOTHING)
  expect(told(pending)).toEqual({ there: [bootId(1)], gone: [] })
})

it('whoever comes in the place of another does not hide that the other has gone', () => {
  const pending = new PendingReports(() => {})
  pending.gone(started(2))
  pending.changed(started(1), NOTHING)
  pending.gone(started(1))
  pending.changed(started(3), NOTHING)
  expect(told(pending)).toEqual({ there: [bootId(3)], gone: [bootId(2), bootId(1)] })
})
