import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toJson } from '@bufbuild/protobuf'
import { formatFieldPath, type KindName, validateObject } from '@causeway/mesh-api'
import { decodeBody, RESOURCE_KINDS } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { told } from '../../../test/fixtures/control-plane/objects.ts'
import { Configuration } from '../snapshot/configuration.ts'
import type { EncodedResource } from '../snapshot/resource.ts'
import type { SourceObject, SourceStatus } from '../sources/source.ts'

/** One pair of files a feature: objects as people write them, and what each relay is sent of them. */
describe.each(['files', 'cluster'] as const)('%s', (place) => {
  const folder = join(import.meta.dirname, 'golden', place)
  const names = readdirSync(folder).flatMap((name) => (name.endsWith('.in.yaml') ? [name.slice(0, -8)] : []))

  it.each(names)('%s', async (name) => {
    const configuration = new Configuration({ place, installation: undefined, installationNamespace: undefined })
    configuration.apply(told(1, objectsOf(readFileSync(join(folder, `${name}.in.yaml`), 'utf8'), place)))
    await expect(outOf(configuration)).toMatchFileSnapshot(join(folder, `${name}.out.yaml`))
  })
})

interface Written {
  readonly kind: KindName
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly status?: Omit<SourceStatus, 'credentials'> & {
    readonly credentials?: readonly { readonly file: string; readonly sha256: string }[]
  }
}

function objectsOf(text: string, place: 'files' | 'cluster'): SourceObject[] {
  return parseAllDocuments(text).map((document) => {
    const { status = {}, ...object } = document.toJS() as Written
    const metadata = { namespace: 'default', labels: {}, annotations: {}, ...object.metadata }
    const validated = validateObject(object.kind, { ...object, metadata })
    if ('faults' in validated) {
      throw new Error(validated.faults.map(({ path, message }) => `${formatFieldPath(path)}: ${message}`).join('\n'))
    }
    const { credentials, ...others } = status
    const hashes = credentials && { credentials: new Map(credentials.map(({ file, sha256 }) => [file, sha256])) }
    const uid = place === 'files' ? '' : `uid-of-${metadata.name}`
    return { resource: validated.resource, uid, generation: 1, isDeleting: false, status: { ...others, ...hashes } }
  })
}

function outOf(configuration: Configuration): string {
  const relays = new Map<string, Record<string, unknown>>()
  const notSent: Record<string, string> = {}
  for (const [key, { standing, placed }] of [...configuration.objects].sort()) {
    if (standing.state === 'withheld') notSent[key] = `${standing.withheld.reason}: ${standing.withheld.message}`
    else if (standing.state !== 'delivered') notSent[key] = JSON.stringify(standing)
    for (const relay of placed?.relays ?? []) {
      const resources = relays.get(relay) ?? {}
      relays.set(relay, {
        ...resources,
        ...(placed && { [`${placed.resource.kind} ${placed.resource.name}`]: readable(placed.resource) }),
      })
    }
  }
  const out = { relays: Object.fromEntries([...relays].sort()) }
  return stringify(Object.keys(notSent).length === 0 ? out : { ...out, notSent }, { lineWidth: 0 })
}

function readable({ kind, body }: EncodedResource): unknown {
  const decoded = decodeBody(kind, body)
  if (typeof decoded === 'string') throw new Error(decoded)
  return toJson(RESOURCE_KINDS[kind].schema, decoded.message)
}
