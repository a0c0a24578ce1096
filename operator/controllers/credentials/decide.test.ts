import { credentialFile } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { DataRef } from '../../world/data-refs.ts'
import { decideCredentials, projectionsOf } from './decide.ts'

const ref = (name: string, isProjected = true): DataRef => ({
  entry: { kind: 'Secret', namespace: 'shop', name, key: 'value' },
  fieldPath: ['spec'],
  isProjected,
})
const fileOf = (name: string) => credentialFile(ref(name).entry)
const nameOf = new Map(['a', 'b', 'c'].map((name) => [fileOf(name), name]))
const decide = (
  sources: Record<string, string | undefined>,
  held: Record<string, string>,
  unread: readonly string[] = [],
) => {
  const digests = new Map(Object.entries(held).map(([name, digest]) => [fileOf(name), digest]))
  const refs = Object.keys(sources).map((name) => ref(name))
  const { copied, kept, dropped, isChanged } = decideCredentials(
    projectionsOf(refs, ({ entry }) => sources[entry.name], digests),
    digests,
    new Set(unread.map(fileOf)),
  )
  const names = (list: readonly { readonly ref: DataRef }[]) => list.map((one) => one.ref.entry.name)
  return { copied: names(copied), kept: kept.map((file) => nameOf.get(file)), dropped, isChanged }
}

describe('what is projected', () => {
  it(`${requirement('OPR-014')} is what is new, and what has changed`, () => {
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

  it(`${requirement('OPR-014')} stays when its source goes, and is dropped when nobody names it`, () => {
    expect(decide({ a: undefined, b: '2' }, { a: '1' })).toMatchObject({ copied: ['b'], kept: ['a'] })
    expect(decide({}, { a: '1' })).toEqual({ copied: [], kept: [], dropped: [fileOf('a')], isChanged: true })
  })

  it(`${requirement('OPR-013')} stays for an object that was not valid when it was seen first`, () => {
    expect(decide({ b: '2' }, { a: '1', b: '2', c: '3' }, ['a'])).toMatchObject({
      kept: ['b', 'a'],
      dropped: [fileOf('c')],
    })
    expect(decide({}, { a: '1' }, ['a'])).toMatchObject({ kept: ['a'], dropped: [], isChanged: false })
  })

  it('is each entry once, however many name it, and none that pods mount themselves', () => {
    const projections = projectionsOf([ref('b'), ref('a'), ref('b'), ref('c', false)], () => '1', new Map())
    expect(projections.map(({ file }) => file)).toEqual([fileOf('a'), fileOf('b')])
  })
})
