import { credentialFile } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import type { DataRef } from '../../world/data-refs.ts'
import { decideCredentials, projectionsOf } from './decide.ts'

const ref = (name: string, isProjected = true): DataRef => ({
  entry: { kind: 'Secret', namespace: 'shop', name, key: 'value' },
  fieldPath: ['spec'],
  isProjected,
})
const fileOf = (name: string) => credentialFile(ref(name).entry)
const decide = (sources: Record<string, string | undefined>, held: Record<string, string>) => {
  const digests = new Map(Object.entries(held).map(([name, digest]) => [fileOf(name), digest]))
  const refs = Object.keys(sources).map((name) => ref(name))
  const { copied, kept, dropped, isChanged } = decideCredentials(
    projectionsOf(refs, ({ entry }) => sources[entry.name], digests),
    digests,
  )
  const names = (list: readonly { readonly ref: DataRef }[]) => list.map((one) => one.ref.entry.name)
  return { copied: names(copied), kept: names(kept), dropped, isChanged }
}

describe('what is projected', () => {
  it('is what is new, and what has changed', () => {
    expect(decide({ a: '1', b: '2', c: '3' }, { b: '2', c: 'old' })).toEqual({
      copied: ['a', 'c'],
      kept: ['b'],
      dropped: [],
      isChanged: true,
    })
  })

  it('is left alone where nothing differs', () => {
    expect(decide({ a: '1' }, { a: '1' })).toMatchObject({ copied: [], kept: ['a'], isChanged: false })
  })

  it('stays when its source goes, and is dropped when nobody names it', () => {
    expect(decide({ a: undefined, b: '2' }, { a: '1' })).toMatchObject({ copied: ['b'], kept: ['a'] })
    expect(decide({}, { a: '1' })).toEqual({ copied: [], kept: [], dropped: [fileOf('a')], isChanged: true })
  })

  it('is each entry once, however many name it, and none that pods mount themselves', () => {
    const projections = projectionsOf([ref('b'), ref('a'), ref('b'), ref('c', false)], () => '1', new Map())
    expect(projections.map(({ file }) => file)).toEqual([fileOf('a'), fileOf('b')])
  })
})
