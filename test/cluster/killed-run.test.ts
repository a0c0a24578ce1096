import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startFixture } from '../fixtures/process/fixture.ts'
import { cleanUpStale } from './clean-up.ts'
import type { HeldCluster } from './held-cluster.ts'
import { isAlive } from './processes/identity.ts'
import { RunFolder } from './processes/run-folder.ts'
import { until } from './wait.ts'

test('a cluster ends with the process that started it, and the next run removes what it left', async () => {
  const holder = await startFixture<HeldCluster>(new URL('held-cluster.ts', import.meta.url), ['api'])
  const folder = new RunFolder(holder.info.runFolder)
  const daemons = folder.processes()
  expect(daemons.filter(isAlive)).toHaveLength(2)

  await holder.kill()
  await until('etcd and the API server have ended', () => !daemons.some(isAlive))
  await cleanUpStale() // or another run's, if that was faster
  await until('its folder is gone', () => !existsSync(folder.path))
})
