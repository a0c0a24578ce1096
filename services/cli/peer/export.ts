import { isKubeError } from '@causeway/kube'
import { workloadName } from '@causeway/mesh-api'
import { SERVICE, type Service } from '../cluster/kube-types.ts'
import { openCluster } from '../cluster/open-cluster.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { MeshObject } from '../objects/mesh-object.ts'
import { type ObjectsSource, readObjects } from '../objects/read-objects.ts'
import { writeExported } from './exported.ts'

export interface ExportOptions extends ObjectsSource {
  readonly relay: string
  /** What the other side will call us; default: the relay's name. */
  readonly as?: string
  /** Where the other side dials us; empty: as the relay's Service says. */
  readonly addresses: readonly string[]
}

/** `causeway peer export`: prints what another administration needs to know of one relay. */
export async function exportPeer(options: ExportOptions, host: CliHost): Promise<ExitCode> {
  const found = (await readObjects(['MeshRelay'], options, host)).filter(({ name }) => name === options.relay)
  const [relay] = found
  if (relay === undefined || found.length > 1) {
    const where = found.map(({ namespace }) => namespace).join(', ')
    return fail(
      host,
      relay === undefined
        ? `there is no MeshRelay ${options.relay}`
        : `MeshRelay ${options.relay} is in ${where}: --namespace says which`,
    )
  }
  const handles = handlesOf(relay)
  if (handles.length === 0) {
    return fail(
      host,
      `MeshRelay ${relay.namespace}/${relay.name} has no identity yet; causeway describe relay ${relay.name} says why`,
    )
  }
  const addresses = options.addresses.length > 0 ? options.addresses : await serviceAddresses(relay, options, host)
  if (addresses.length === 0) {
    host.writeError(
      'causeway: warning: no address from outside is known, so the other side can only be dialled; --address adds one\n',
    )
  }
  const profile = bestProfile(relay)
  host.writeOut(writeExported({ name: options.as ?? relay.name, handles, addresses, protocols: ['mcp'], profile }))
  return EXIT.ok
}

/** Of the key that signs, and of those that come or go: whoever knows all of them loses no call to a rotation. */
function handlesOf({ status }: MeshObject): readonly string[] {
  const { peerHandle, next, previous } = status.identity ?? {}
  return [peerHandle, next, previous].filter((one) => one !== undefined)
}

function bestProfile({ spec }: MeshObject): string {
  const profiles = Array.isArray(spec.profiles) ? (spec.profiles as readonly string[]) : []
  return profiles.length === 0 || profiles.includes('Standard') ? 'Standard' : (profiles[0] ?? 'Standard')
}

/** What the relay's Service is reached by from outside of the cluster. */
async function serviceAddresses(relay: MeshObject, options: ExportOptions, host: CliHost): Promise<readonly string[]> {
  if (options.standalone !== undefined) return []
  const client = await openCluster(options, host)
  try {
    const name = workloadName(relay.name)
    return addressesOf(await client.find(SERVICE, { namespace: relay.namespace, name }))
  } catch (error) {
    if (isKubeError(error, 'Forbidden')) return []
    throw error
  } finally {
    client.close()
  }
}

function addressesOf(service: Service | undefined): readonly string[] {
  const port = service?.spec?.ports?.find(({ name }) => name === 'npamp')?.port
  if (port === undefined) return []
  return (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ hostname, ip }) => {
    const address = hostname ?? ip
    if (address === undefined) return []
    return [`npamp://${address.includes(':') ? `[${address}]` : address}:${port}`]
  })
}

function fail(host: CliHost, message: string): ExitCode {
  host.writeError(`causeway: ${message}\n`)
  return EXIT.failed
}
