import { open } from 'node:fs/promises'
import type { KubeObject } from '@causeway/kube'
import { API_VERSION, type FieldPath, formatFieldPath, type MeshPeer, validateObject } from '@causeway/mesh-api'
import { stringify } from 'yaml'
import { meshType } from '../cluster/mesh-types.ts'
import { type ClusterFlags, openCluster } from '../cluster/open-cluster.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { PeerFileError, readExported } from './exported.ts'

export interface ImportOptions extends ClusterFlags {
  readonly file: string
  /** Our relays that are to know the peer. */
  readonly relays: readonly string[]
  readonly namespace?: string
  /** What we call it; default: what it calls itself. */
  readonly as?: string
  /** Writes it to the cluster, instead of printing it. */
  readonly apply: boolean
}

/** `causeway peer import`: makes a MeshPeer of what another administration has exported. */
export async function importPeer(options: ImportOptions, host: CliHost): Promise<ExitCode> {
  try {
    const { name, spec } = readExported(await readText(options.file))
    const namespace = options.namespace === undefined ? {} : { namespace: options.namespace }
    const metadata = { name: options.as ?? name, ...namespace }
    const relayRefs = options.relays.map((relay) => ({ name: relay }))
    const said = { relayRefs, ...spec, ...dialOf(spec) }
    const object = { apiVersion: API_VERSION, kind: 'MeshPeer', metadata, spec: said }
    const validated = validateObject('MeshPeer', object)
    if ('faults' in validated) {
      for (const { path, message } of validated.faults)
        refuse(options, host, `${optionOf(path) ?? formatFieldPath(path)}: ${message}`)
      return EXIT.badInput
    }
    tell(validated.resource as MeshPeer, host)
    if (options.apply) await apply(object, options, host)
    else host.writeOut(stringify(object))
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof PeerFileError)) throw error
    refuse(options, host, error.message)
    return EXIT.badInput
  }
}

/** The option that has said the field; undefined: the file has. */
function optionOf([first, second]: FieldPath): string | undefined {
  if (first === 'spec' && second === 'relayRefs') return '--relay'
  if (first === 'metadata') return second === 'namespace' ? '--namespace' : '--as'
  return undefined
}

/** Whoever says no address can only be waited for. */
function dialOf({ addresses }: Readonly<Record<string, unknown>>): { readonly dial?: 'never' } {
  const isSaid = addresses !== undefined && !(Array.isArray(addresses) && addresses.length === 0)
  return isSaid ? {} : { dial: 'never' }
}

interface Imported {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: Readonly<Record<string, unknown>>
}

async function apply(object: Imported, options: ImportOptions, host: CliHost): Promise<void> {
  const client = await openCluster(options, host)
  try {
    const metadata = { namespace: client.namespace, ...object.metadata }
    const before = handlesIn((await client.find(meshType<Stored>('MeshPeer'), metadata))?.spec)
    const handles = handlesIn(object.spec)
    // The name stands in the file: whoever wrote it may have chosen that of somebody else.
    if (before !== undefined && !handles?.some((handle) => before.includes(handle))) {
      throw new PeerFileError(
        `MeshPeer ${metadata.namespace}/${metadata.name} is there and has none of these handles; --as gives this one ` +
          'another name, or delete that one first',
      )
    }
    await client.apply(meshType('MeshPeer'), { ...object, metadata })
    host.writeOut(`MeshPeer ${metadata.namespace}/${metadata.name} applied\n`)
  } finally {
    client.close()
  }
}

/** Undefined: there is no object. */
function handlesIn(spec: Stored['spec']): readonly unknown[] | undefined {
  return spec && (spec.identity?.handles ?? [])
}

interface Stored extends KubeObject {
  readonly spec?: { readonly identity?: { readonly handles?: readonly unknown[] } }
}

/** What a person should compare, since whoever sent the file may not be who is meant. */
function tell({ spec }: MeshPeer, host: CliHost): void {
  for (const handle of spec.identity.handles ?? []) {
    host.writeError(
      `causeway: this peer will be whoever has the key of ${handle}: compare that with them over another way\n`,
    )
  }
}

function refuse({ file }: ImportOptions, host: CliHost, message: string): void {
  host.writeError(`causeway: ${file}: ${message}\n`)
}

/** Sixteen handles and addresses have room in it many times. */
const MAX_OCTETS = 65_536

async function readText(path: string): Promise<string> {
  const file = await open(path).catch((error: unknown) => {
    throw new PeerFileError(`cannot be read (${codeOf(error)})`)
  })
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_OCTETS + 1), 0, MAX_OCTETS + 1)
    if (bytesRead > MAX_OCTETS) throw new PeerFileError(`is larger than ${MAX_OCTETS} octets`)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (error instanceof PeerFileError) throw error
    throw new PeerFileError(`cannot be read (${codeOf(error)})`)
  } finally {
    await file.close()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
