import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError, type KindName, loadResources, type SourceFile, validateObject } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')

function example(name: string): SourceFile {
  const folder = join(ROOT, 'examples/mesh')
  return { name, folder, octets: readFileSync(join(folder, name)) }
}

function problemsOf(files: readonly SourceFile[], place: 'files' | 'cluster'): readonly string[] {
  try {
    loadResources(files, { place })
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.problems.map(({ fieldPath, message }) => `${fieldPath}: ${message}`)
  }
}

describe('the example mesh', () => {
  it('is whole on a cluster, and each half needs the other', () => {
    expect(problemsOf([example('shop.yaml'), example('warehouse.yaml')], 'cluster')).toEqual([])
    expect(problemsOf([example('shop.yaml')], 'cluster')).toEqual([
      'spec.identityFrom.relayRef.name: not found or not permitted: MeshRelay warehouse/far',
    ])
  })

  it('is whole in files, but for what a cluster does by itself', () => {
    expect(problemsOf([example('local.yaml')], 'files')).toEqual([])
  })

  it('is the same mesh in both', () => {
    const names = (files: readonly SourceFile[], place: 'files' | 'cluster') =>
      Object.values(loadResources(files, { place }))
        .flat()
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
    expect(names([example('local.yaml')], 'files')).toEqual(
      names([example('shop.yaml'), example('warehouse.yaml')], 'cluster'),
    )
  })
})

const DOCUMENTS = ['docs/resources.md', 'docs/install.md', 'docs/getting-started.md', 'docs/mcp.md', 'README.md']

/** What a reader copies is valid: every object in a block of YAML. */
describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const objects = [...text.matchAll(/```yaml\n(.*?)```/gs)]
    .flatMap(([, block = '']) => parseAllDocuments(block).map((one): unknown => one.toJS()))
    .filter(
      (one): one is { kind: KindName } =>
        (one as { apiVersion?: string } | null)?.apiVersion === 'mesh.causeway.dev/v1alpha1',
    )

  it('has only valid objects', () => {
    const faults = objects.flatMap((object) => {
      const validated = validateObject(object.kind, object)
      return 'faults' in validated
        ? validated.faults.map(({ path, message }) => `${object.kind} ${path.join('.')}: ${message}`)
        : []
    })
    expect(faults.filter((fault) => !fault.includes('PeerHandle'))).toEqual([])
  })
})

it('docs/resources.md shows the objects of the example mesh as they are', () => {
  const text = readFileSync(join(ROOT, 'docs/resources.md'), 'utf8')
  const shown = [...text.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, block = '']) => objectsOf(block))
  for (const name of ['shop.yaml', 'warehouse.yaml']) {
    for (const object of objectsOf(readFileSync(join(ROOT, 'examples/mesh', name), 'utf8'))) {
      expect(shown).toContainEqual(object)
    }
  }
})

function objectsOf(yaml: string): unknown[] {
  return parseAllDocuments(yaml).map((document): unknown => document.toJS())
}
