import type { KubeObject } from '@causeway/kube'
import { describe, expect, it } from 'vitest'
import { Freshest } from './freshest.ts'

const at = (resourceVersion: string): KubeObject => ({ metadata: { name: 'a', resourceVersion } })
const watched = (position: bigint | undefined, object?: KubeObject) => ({ get: () => object, position })

describe('the freshest that is known of an object', () => {
  it('is what the watch told, without an answer of our own', () => {
    const freshest = new Freshest()
    expect(freshest.get('a', watched(5n, at('5')))).toEqual(at('5'))
    expect(freshest.get('a', watched(5n))).toBeUndefined()
  })

  it('is our own answer until the watch has told as much', () => {
    const freshest = new Freshest()
    freshest.learn('a', at('10'), { position: 9n })
    expect(freshest.get('a', watched(9n))).toEqual(at('10'))
    expect(freshest.get('a', watched(9n, at('9')))).toEqual(at('10'))
    expect(freshest.get('a', watched(12n, at('12')))).toEqual(at('12'))
  })

  it('is what the watch tells where the API server was restored from an older state', () => {
    const freshest = new Freshest()
    freshest.learn('a', at('10'), { position: 9n })
    expect(freshest.get('a', watched(5n, at('4')))).toEqual(at('4'))
    expect(freshest.get('a', watched(9n, at('4')))).toEqual(at('4'))
  })

  it('is nothing once the watch knows that it went', () => {
    const freshest = new Freshest()
    freshest.learn('a', at('10'), { position: 9n })
    expect(freshest.get('a', watched(11n))).toBeUndefined()
    expect(freshest.get('a', watched(undefined))).toBeUndefined()
  })
})
