import { X509Certificate } from 'node:crypto'
import {
  isKubeError,
  type KubeClient,
  KubeError,
  type KubeObject,
  type ListRequest,
  type ResourceType,
} from '@causeway/kube'
import { DATA_KEYS, KIND_NAMES, KINDS, type KindName, LEASES, TRUST_BUNDLE_NAME } from '@causeway/mesh-api'
import {
  CONFIG_MAP,
  DEFINITION,
  DEPLOYMENT,
  type Definition,
  type Deployment,
  LEASE,
} from '../../cluster/kube-types.ts'
import { MESH_GROUP, MESH_VERSION, meshType } from '../../cluster/mesh-types.ts'
import { CONTROL_PLANE_NAME, OPERATOR_NAME } from '../../cluster/names.ts'
import { type MeshObject, meshObject, type WrittenObject } from '../../objects/mesh-object.ts'
import packageFile from '../../package.json' with { type: 'json' }
import type { ClusterSnapshot, DefinitionState, Installation, LeaseState, TrustBundle, Workload } from './snapshot.ts'

export interface Scope {
  readonly namespace?: string
  readonly installation?: string
}

/** Reads everything once. What the user may not read is named in the snapshot; an API server that does not answer too. */
export async function gather(client: KubeClient, scope: Scope): Promise<ClusterSnapshot> {
  const base = { nowMs: client.clock.wallNow(), version: packageFile.version, forbidden: [] }
  try {
    return { ...base, ...(await gatherAll(client, scope)) }
  } catch (error) {
    if (!isKubeError(error)) throw error
    return { ...base, unreachable: error.message }
  }
}

async function gatherAll(client: KubeClient, scope: Scope): Promise<Omit<ClusterSnapshot, 'nowMs' | 'version'>> {
  const forbidden: string[] = []
  const permitted = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      if (!isKubeError(error, 'Forbidden')) throw error
      forbidden.push(what)
      return undefined
    }
  }
  const apiServer = apiVersion(await client.getPath('/version'))
  const definitions = await readDefinitions(client)
  const installations = await permitted('Deployments', () => readInstallations(client, scope, permitted))
  const objects: MeshObject[] = []
  for (const kind of KIND_NAMES) {
    if (definitions.get(kind)?.state === 'missing') continue
    const items = await permitted(`${kind}s`, () => listAll<WrittenObject & KubeObject>(client, meshType(kind), scope))
    objects.push(...(items ?? []).map((item) => meshObject(kind, item)))
  }
  const namespaces = new Set(objects.filter(({ kind }) => kind === 'MeshRelay').map(({ namespace }) => namespace))
  const bundles = new Map<string, TrustBundle | undefined>()
  for (const namespace of namespaces) {
    const what = `ConfigMaps of ${namespace}`
    await permitted(what, async () => void bundles.set(namespace, await readBundle(client, namespace)))
  }
  const only = scope.installation === undefined ? {} : { onlyInstallation: scope.installation }
  const found = installations === undefined ? {} : { installations }
  return { apiServer, definitions, ...found, ...only, objects, bundles, forbidden }
}

function apiVersion(answer: unknown): { major: number; minor: number } {
  const { major, minor } = answer as { major?: string; minor?: string }
  // Some vendors write `30+`.
  return { major: Number.parseInt(major ?? '', 10), minor: Number.parseInt(minor ?? '', 10) }
}

async function readDefinitions(client: KubeClient): Promise<Map<KindName, DefinitionState>> {
  const states = new Map<KindName, DefinitionState>()
  let served: ReadonlySet<string> | undefined
  for (const kind of KIND_NAMES) {
    try {
      const name = `${KINDS[kind].plural}.${MESH_GROUP}`
      states.set(kind, stateOf(kind, await client.find(DEFINITION, { name })))
    } catch (error) {
      if (!isKubeError(error, 'Forbidden')) throw error
      // Not everybody may read definitions; what is served everybody may ask.
      served ??= await readServed(client)
      states.set(kind, served.has(KINDS[kind].plural) ? { state: 'served', missingFields: [] } : { state: 'missing' })
    }
  }
  return states
}

function stateOf(kind: KindName, definition: Definition | undefined): DefinitionState {
  if (definition === undefined) return { state: 'missing' }
  if (definition.metadata.deletionTimestamp !== undefined) return { state: 'going' }
  const established = definition.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  )
  if (established !== true) return { state: 'not established' }
  const version = definition.spec.versions.find(({ name }) => name === MESH_VERSION)
  const there = version?.schema?.openAPIV3Schema?.properties?.spec?.properties ?? {}
  return { state: 'served', missingFields: Object.keys(KINDS[kind].spec.shape).filter((field) => !(field in there)) }
}

async function readServed(client: KubeClient): Promise<ReadonlySet<string>> {
  try {
    const answer = await client.getPath(`/apis/${MESH_GROUP}/${MESH_VERSION}`)
    return new Set((answer as { resources: { name: string }[] }).resources.map(({ name }) => name))
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return new Set()
    throw error
  }
}

type Permitted = <T>(what: string, read: () => Promise<T>) => Promise<T | undefined>

async function readInstallations(client: KubeClient, scope: Scope, permitted: Permitted): Promise<Installation[]> {
  const where = scope.installation === undefined ? {} : { namespace: scope.installation }
  const labelSelector = `app.kubernetes.io/name in (${OPERATOR_NAME},${CONTROL_PLANE_NAME})`
  const { items } = await client.list({ type: DEPLOYMENT, labelSelector, ...where })
  const namespaces = [...new Set(items.map(({ metadata }) => metadata.namespace ?? ''))].sort()
  const installations: Installation[] = []
  for (const namespace of namespaces) {
    const deployed = (name: string) =>
      items.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    const [operator, controlPlane] = [deployed(OPERATOR_NAME), deployed(CONTROL_PLANE_NAME)]
    const lease = async (name: string) =>
      permitted(`Leases of ${namespace}`, async () => leaseState(await client.find(LEASE, { namespace, name })))
    const watchNamespaces = watched(operator ?? controlPlane)
    const operatorLease = await lease(LEASES.operator)
    const controlPlaneLease = await lease(LEASES.controlPlane)
    installations.push({
      namespace,
      ...(operator === undefined ? {} : { operator: workload(operator) }),
      ...(controlPlane === undefined ? {} : { controlPlane: workload(controlPlane) }),
      ...(watchNamespaces === undefined ? {} : { watchNamespaces }),
      ...(operatorLease === undefined ? {} : { operatorLease }),
      ...(controlPlaneLease === undefined ? {} : { controlPlaneLease }),
    })
  }
  return installations
}

function workload({ spec, status }: Deployment): Workload {
  const [container] = spec.template.spec.containers
  return { desired: spec.replicas ?? 1, available: status?.availableReplicas ?? 0, image: container?.image ?? '' }
}

const WATCH_FLAG = '--watch-namespaces='

function watched(deployment: Deployment | undefined): readonly string[] | undefined {
  const args = deployment?.spec.template.spec.containers.flatMap((container) => container.args ?? []) ?? []
  const value = args.find((arg) => arg.startsWith(WATCH_FLAG))?.slice(WATCH_FLAG.length)
  return value === undefined || value === '*' ? undefined : value.split(',')
}

/** A Lease that is not there was renewed at the beginning of time. */
function leaseState(lease: { spec?: { holderIdentity?: string; renewTime?: string } } | undefined): LeaseState {
  const { holderIdentity = '', renewTime } = lease?.spec ?? {}
  return { holder: holderIdentity, renewedAtMs: renewTime === undefined ? 0 : Date.parse(renewTime) }
}

async function readBundle(client: KubeClient, namespace: string): Promise<TrustBundle | undefined> {
  const map = await client.find(CONFIG_MAP, { namespace, name: TRUST_BUNDLE_NAME })
  const text = map?.data?.[DATA_KEYS.authorities]
  if (text === undefined) return undefined
  try {
    const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    const ends = certificates.map((one) => new X509Certificate(one).validToDate.getTime())
    return ends.length === 0 ? {} : { endsAtMs: Math.min(...ends) }
  } catch {
    return {}
  }
}

async function listAll<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  { namespace }: Scope,
): Promise<T[]> {
  const request: ListRequest<T> = namespace === undefined ? { type } : { type, namespace }
  try {
    return (await client.list(request)).items
  } catch (error) {
    // The definition went between two questions.
    if (error instanceof KubeError && error.code === 'NotFound') return []
    throw error
  }
}
