import { isKubeError, type KubeObject, type ListRequest } from '@causeway/kube'
import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import { meshType } from '../cluster/mesh-types.ts'
import { type ClusterFlags, openCluster } from '../cluster/open-cluster.ts'
import type { CliHost } from '../host.ts'
import { readStatus } from '../standalone/read-status.ts'
import { type MeshObject, meshObject, type WrittenObject } from './mesh-object.ts'

/** Where the objects are: on a cluster, or in one `causeway up`. */
export interface ObjectsSource extends ClusterFlags {
  /** The admin listener of the `causeway up`. */
  readonly standalone?: string
  readonly namespace?: string
}

/**
 * The objects of some kinds, ordered by kind and name.
 * @throws KubeError, or StandaloneError, when they cannot be had
 */
export async function readObjects(
  kinds: readonly KindName[],
  source: ObjectsSource,
  host: CliHost,
): Promise<readonly MeshObject[]> {
  const found =
    source.standalone === undefined ? await ofCluster(kinds, source, host) : await ofProcess(source.standalone)
  return found
    .filter(({ kind, namespace }) => kinds.includes(kind) && (source.namespace ?? namespace) === namespace)
    .sort((a, b) => compare(order(a), order(b)))
}

async function ofProcess(url: string): Promise<readonly MeshObject[]> {
  return (await readStatus(url)).objects
}

async function ofCluster(
  kinds: readonly KindName[],
  source: ObjectsSource,
  host: CliHost,
): Promise<readonly MeshObject[]> {
  const client = await openCluster(source, host)
  try {
    const objects: MeshObject[] = []
    for (const kind of kinds) {
      const type = meshType<WrittenObject & KubeObject>(kind)
      const where = source.namespace === undefined ? {} : { namespace: source.namespace }
      const request: ListRequest<WrittenObject & KubeObject> = { type, ...where }
      try {
        objects.push(...(await client.list(request)).items.map((item) => meshObject(kind, item)))
      } catch (error) {
        // Of a kind that the cluster does not have there are no objects; of the only one that was asked for, that is news.
        if (kinds.length === 1 || !isKubeError(error, 'NotFound')) throw error
      }
    }
    return objects
  } finally {
    client.close()
  }
}

function order({ kind, namespace, name }: MeshObject): string {
  return `${String(KIND_NAMES.indexOf(kind)).padStart(2, '0')}/${namespace}/${name}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
