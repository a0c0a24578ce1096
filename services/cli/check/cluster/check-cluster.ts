import { type ClusterFlags, openCluster } from '../../cluster/open-cluster.ts'
import type { CliHost } from '../../host.ts'
import { type CheckLine, linesOf } from '../line.ts'
import { OBJECT_CHECKS } from '../object-checks.ts'
import { gather, type Scope } from './gather.ts'
import { INSTALLATION_CHECKS } from './installation-checks.ts'
import { PLATFORM_CHECKS } from './platform-checks.ts'
import { type ClusterSnapshot, isRunning } from './snapshot.ts'

/** Looks at what runs on a cluster; asks, and changes nothing. */
export async function checkCluster(options: ClusterFlags & Scope, host: CliHost): Promise<readonly CheckLine[]> {
  return linesOfCluster(await snapshotOf(options, host))
}

function linesOfCluster(snapshot: ClusterSnapshot): readonly CheckLine[] {
  const { objects, installations = [] } = snapshot
  const isUnattended = !installations.some(({ operator }) => isRunning(operator))
  const subject = { isUnattended, ...(objects === undefined ? {} : { objects }) }
  return [
    ...linesOf(PLATFORM_CHECKS, snapshot),
    ...linesOf(INSTALLATION_CHECKS, snapshot),
    ...linesOf(OBJECT_CHECKS, subject),
  ]
}

async function snapshotOf(options: ClusterFlags & Scope, host: CliHost): Promise<ClusterSnapshot> {
  const { isKubeError, systemClock } = await import('@causeway/kube')
  try {
    const client = await openCluster(options, host)
    try {
      return await gather(client, options)
    } finally {
      client.close()
    }
  } catch (error) {
    if (!isKubeError(error)) throw error
    return { nowMs: systemClock().wallNow(), version: '', unreachable: error.message, forbidden: [] }
  }
}
