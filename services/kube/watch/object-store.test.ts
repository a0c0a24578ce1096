import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../objects.ts'
import { ObjectStore } from './object-store.ts'

function object(name: string, version: number, uid = `uid-${name}`): KubeObject {
  return { metadata: { name, namespace: 'ns', uid, resourceVersion: String(version) } }
}

function storeWithLog(): { store: ObjectStore<KubeObject, KubeObject>; log: string[] } {
  const log: string[] = []
  const told = ({ metadata }: KubeObject) => `${metadata.name}@${metadata.resourceVersion}`
  const store = new ObjectStore<KubeObject, KubeObject>((object) => object, {
    upsert: (object, old) => log.push(`${told(object)} was ${old === undefined ? 'not there' : told(old)}`),
    remove: (old) => log.push(`${told(old)} is gone`),
  })
  return { store, log }
}

describe('a store of objects', () => {
  test('tells what is new and what is different', () => {
    const { store, log } = storeWithLog()
    store.upsert(object('a', 1))
    store.upsert(object('a', 2))
    store.remove(object('a', 3))
    expect(log).toEqual(['a@1 was not there', 'a@2 was a@1', 'a@2 is gone'])
    expect(store.objects.size).toBe(0)
  })

  test('says nothing of a version that it has', () => {
    const { store, log } = storeWithLog()
    store.upsert(object('a', 1))
    store.upsert(object('a', 1))
    expect(log).toEqual(['a@1 was not there'])
  })

  test('an object made anew under the same name is another one', () => {
    const { store, log } = storeWithLog()
    store.upsert(object('a', 1, 'first'))
    store.upsert(object('a', 2, 'second'))
    store.remove(object('a', 3, 'first'))
    expect(log).toEqual(['a@1 was not there', 'a@1 is gone', 'a@2 was not there'])
    expect(store.objects.size).toBe(1)
  })

  test('a list changes nothing before it is complete', () => {
    const { store, log } = storeWithLog()
    store.upsert(object('a', 1))
    const listed = store.beginList()
    listed.add(object('b', 2))
    expect(log).toEqual(['a@1 was not there'])
    listed.commit()
    expect(log).toEqual(['a@1 was not there', 'a@1 is gone', 'b@2 was not there'])
  })

  test('what is kept is asked for once for each version, with what is kept of the one before', () => {
    const asked: string[] = []
    const store = new ObjectStore<KubeObject, KubeObject>(
      (object, old) => {
        asked.push(`${object.metadata.resourceVersion} after ${old?.metadata.resourceVersion}`)
        return object
      },
      { upsert: () => {}, remove: () => {} },
    )
    for (const version of [1, 1, 2]) store.upsert(object('a', version))
    const listed = store.beginList()
    listed.add(object('a', 2))
    listed.commit()
    expect(asked).toEqual(['1 after undefined', '2 after 1'])
  })

  test('a list tells the difference and keeps the very objects that are the same', () => {
    const { store, log } = storeWithLog()
    const same = object('same', 1)
    store.upsert(same)
    store.upsert(object('changed', 2))
    log.length = 0
    const listed = store.beginList()
    listed.add(object('same', 1))
    listed.add(object('changed', 3))
    listed.commit()
    expect(log).toEqual(['changed@3 was changed@2'])
    expect(store.objects.get('ns/same')).toBe(same)
  })
})
