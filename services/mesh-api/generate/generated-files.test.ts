import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import { type Structural, structural } from '../schema/structural.ts'
import { GENERATED_FOLDERS, generatedFiles } from './generated-files.ts'

const ROOT = join(import.meta.dirname, '../../..')
const files = generatedFiles()

/** So that every CRD fits an annotation of `kubectl apply` and a page of etcd. */
const MAX_CRD_OCTETS = 200_000

describe('what is committed is what the kinds say; else run `npm run generate`', () => {
  it.each([...files.keys()])('%s', (path) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(files.get(path))
  })

  it('and nothing else stands in the generated folders', () => {
    const found = GENERATED_FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
    )
    expect(new Set(found)).toEqual(new Set(files.keys()))
  })
})

describe.each(KIND_NAMES)('the CRD of %s', (name) => {
  const text = files.get(`charts/causeway-crds/crds/${KINDS[name].plural}.yaml`) ?? ''

  it(`has at most ${MAX_CRD_OCTETS} octets`, () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_CRD_OCTETS)
  })

  it('is a namespaced kind of our group, with a prefixed short name and a status of its own', () => {
    expect(parse(text)).toMatchObject({
      metadata: { name: `${KINDS[name].plural}.mesh.causeway.dev` },
      spec: {
        group: 'mesh.causeway.dev',
        scope: 'Namespaced',
        names: { kind: name, categories: ['causeway'], shortNames: [expect.stringMatching(/^cw/)] },
        versions: [{ name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } }],
      },
    })
  })

  it('prints each condition, since when and why not', () => {
    const columns: { name: string; jsonPath: string }[] = parse(text).spec.versions[0].additionalPrinterColumns
    const names = columns.map((column) => column.name)
    expect(names).toEqual(
      expect.arrayContaining([...KINDS[name].conditions.map(({ type }) => type), 'Since', 'Reason']),
    )
    expect(new Set(names).size).toBe(names.length)
  })

  it('keeps conditions as a list map by type', () => {
    const { status } = parse(text).spec.versions[0].schema.openAPIV3Schema.properties
    expect(status.properties.conditions).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    })
  })
})

/**
 * What is stored has defaults and what is applied has not, so that a list that is owned whole would be in conflict with
 * itself for the next owner.
 */
it.each(KIND_NAMES)('%s: entries of lists that are owned whole have no defaults', (name) => {
  expect(defaultsInAtomicLists(structural(KINDS[name].spec), 'spec', false)).toEqual([])
})

function defaultsInAtomicLists(node: Structural, at: string, isInside: boolean): string[] {
  const isAtomic = isInside || node['x-kubernetes-list-type'] === 'atomic'
  return [
    ...(isInside && node.default !== undefined ? [at] : []),
    ...(node.items === undefined ? [] : defaultsInAtomicLists(node.items, `${at}[]`, isAtomic)),
    ...Object.entries(node.properties ?? {}).flatMap(([name, field]) =>
      defaultsInAtomicLists(field, `${at}.${name}`, isAtomic),
    ),
  ]
}
