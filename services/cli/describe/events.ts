import { isKubeError, type KubeClient } from '@causeway/kube'
import { EVENT } from '../cluster/kube-types.ts'
import { openCluster } from '../cluster/open-cluster.ts'
import type { CliHost } from '../host.ts'
import type { MeshObject } from '../objects/mesh-object.ts'
import type { ObjectsSource } from '../objects/read-objects.ts'

export interface EventLine {
  readonly time: string | undefined
  readonly type: string
  readonly reason: string
  readonly note: string
}

/** What the cluster remembers to have happened to an object, the latest last; nothing where that may not be read. */
export async function readEvents(
  { kind, namespace, name }: MeshObject,
  source: ObjectsSource,
  host: CliHost,
): Promise<readonly EventLine[]> {
  const client: KubeClient = await openCluster(source, host)
  try {
    const fieldSelector = `regarding.kind=${kind},regarding.name=${name}`
    const { items } = await client.list({ type: EVENT, namespace, fieldSelector })
    return items
      .map(({ type = '', reason = '', note = '', eventTime, series, deprecatedLastTimestamp }) => ({
        time: series?.lastObservedTime ?? eventTime ?? deprecatedLastTimestamp,
        type,
        reason,
        note,
      }))
      .sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1))
  } catch (error) {
    if (isKubeError(error, 'Forbidden')) return []
    throw error
  } finally {
    client.close()
  }
}
