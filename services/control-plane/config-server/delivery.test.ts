import { create } from '@bufbuild/protobuf'
import { HelloSchema, MAX_MESSAGE_OCTETS, ResourceKind } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { bootId } from '../../../test/fixtures/control-plane/instance.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import { type ObjectKey, objectKey } from '../snapshot/object-key.ts'
import type { EncodedResource } from '../snapshot/resource.ts'
import { Delivery, type DeliveryView } from './delivery.ts'

const MEBIOCTET = 1024 * 1024
const RELAY = aResource('MeshRelay', 'default/edge', 0)

function aResource(kind: 'MeshRelay' | 'MeshBackend', name: string, octets: number): EncodedResource {
  const version = new Uint8Array(32).fill(octets % 256)
  return {
    kind: kind === 'MeshRelay' ? 'relay' : 'backend',
    name,
    objectKey: objectKey(kind, name),
    version,
    versionHex: Buffer.from(version).toString('hex'),
    body: new Uint8Array(octets),
  }
}

const backends = (count: number, octets: number): EncodedResource[] =>
  Array.from({ length: count }, (_, index) => aResource('MeshBackend', `default/b${index}`, octets))

function viewOf(resources: readonly EncodedResource[]): DeliveryView {
  const snapshot = new Map<ObjectKey, EncodedResource>(resources.map((one) => [one.objectKey, one]))
  return { relay: 'default/edge', snapshot, positions: { read: new Map(), changed: new Map() }, isKept: () => false }
}

function delivering(resources: readonly EncodedResource[], held: readonly { name: string }[] = []) {
  const view = viewOf(resources)
  const hello = create(HelloSchema, {
    bootId: bootId(1),
    held: held.map(({ name }) => ({ kind: ResourceKind.BACKEND, name, version: new Uint8Array(32) })),
  })
  return { view, delivery: new Delivery(hello, view.snapshot) }
}

describe(`${requirement('CTL-015')} what an instance lacks`, () => {
  it('goes out as one message as long as that has room for it', () => {
    const { delivery, view } = delivering([RELAY, ...backends(63, MEBIOCTET)])
    const step = delivery.next(view, 'none')
    expect(step).toMatchObject({ do: 'send', delta: { rewound: false } })
    expect(step.do === 'send' && step.delta.upserts.length).toBe(64)
  })

  it('is refused where one message has no room for it, with each part, and sent once it is smaller', () => {
    const { delivery, view } = delivering([RELAY, ...backends(64, MEBIOCTET)])
    const step = delivery.next(view, 'none')
    if (step.do !== 'refuse') throw new Error(`it does ${step.do}`)
    expect([step.octets > MAX_MESSAGE_OCTETS, step.keys.length]).toEqual([true, 65])
    expect(delivery.isOutstanding).toBe(false)
    const smaller = viewOf([RELAY, ...backends(10, MEBIOCTET)])
    expect(delivery.next(smaller, 'none')).toMatchObject({ do: 'send' })
  })

  it('has names too, also of what goes', () => {
    const held = Array.from({ length: 5_000 }, (_, index) => ({ name: `default/${'x'.repeat(200)}${index}` }))
    const { delivery, view } = delivering([RELAY, ...backends(63, MEBIOCTET)], held)
    expect(delivery.next(view, 'fresh list')).toMatchObject({ do: 'refuse' })
  })
})
