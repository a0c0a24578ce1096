import type { KubeObject, ObjectRef } from '@causeway/kube'
import { describe, expect, it } from 'vitest'
import { DataMemo } from './data-memo.ts'
import { SECRETS, type SecretObject } from './resource-types.ts'

const REF = { name: 'token', namespace: 'shop' }
const secret = (resourceVersion: string, value: string, uid = 'uid'): SecretObject => ({
  metadata: { ...REF, uid, resourceVersion },
  data: { value },
})

/** What an API server has and what a watch has told of it, and how often it was asked. */
class Stand {
  stored: SecretObject | undefined
  told: KubeObject | undefined
  asked = 0
  readonly memo = new DataMemo<SecretObject, string>({
    client: {
      find: async <T extends KubeObject>(_: unknown, __: ObjectRef) => {
        this.asked += 1
        return this.stored as unknown as T | undefined
      },
    },
    type: SECRETS,
    metadata: { get: () => this.told },
    read: ({ data }) => data?.value ?? '',
  })

  /** It is stored, and the watch has told it. */
  tell(object: SecretObject | undefined): void {
    this.stored = object
    this.told = object
  }
}

describe('what was read of an object', () => {
  it('is read once for each version', async () => {
    const stand = new Stand()
    stand.tell(secret('5', 'one'))
    expect([await stand.memo.read(REF), await stand.memo.read(REF), stand.asked]).toEqual(['one', 'one', 1])
    stand.tell(secret('6', 'two'))
    expect([await stand.memo.read(REF), stand.asked]).toEqual(['two', 2])
    stand.tell(secret('7', 'three', 'another'))
    expect([await stand.memo.read(REF), stand.asked]).toEqual(['three', 3])
  })

  it('is what was written, before the watch tells it, and nothing once the watch tells that it is gone', async () => {
    const stand = new Stand()
    stand.tell(secret('5', 'one'))
    await stand.memo.read(REF)
    stand.stored = secret('9', 'written')
    stand.memo.learn(stand.stored)
    expect([await stand.memo.read(REF), stand.asked]).toEqual(['written', 1])
    stand.tell(stand.stored)
    expect([await stand.memo.read(REF), stand.asked]).toEqual(['written', 1])
    stand.tell(undefined)
    expect(await stand.memo.read(REF)).toBeUndefined()
  })

  it('is read anew where an API server was restored, whose versions are smaller', async () => {
    const stand = new Stand()
    stand.tell(secret('500', 'after'))
    await stand.memo.read(REF)
    stand.tell(secret('300', 'before'))
    expect(await stand.memo.read(REF)).toBe('before')
  })
})
