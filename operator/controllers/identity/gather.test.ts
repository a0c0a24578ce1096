import { API_VERSION } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { relayInput } from '../../fixtures/relay-input.ts'
import type { MeshStatus } from '../../status/mesh-status.ts'
import type { MeshObject } from '../../world/resource-types.ts'
import { followedBy, gatherIdentity } from './gather.ts'

const { relay } = relayInput({ metadata: { name: 'tools', namespace: 'shop' }, spec: {} })
const ABSENT = { kind: 'absent' } as const
const ANNOUNCED = {
  state: 'Announced',
  since: '2026-12-01T00:00:00Z',
  peerHandle: 'one',
  secretName: 'causeway-tools-identity-a',
  next: 'two',
} as const

function object(kind: string, name: string, spec: unknown, status: MeshStatus = {}, namespace = 'shop'): MeshObject {
  const metadata = { name, namespace, uid: `uid of ${name}`, resourceVersion: '1' }
  return { apiVersion: API_VERSION, kind, metadata, spec, status }
}
const follower = (name: string, instances: Readonly<Record<string, readonly string[]>>, more: object = {}) =>
  object(
    'MeshPeer',
    name,
    { identityFrom: { relayRef: { name: 'tools' } }, ...more },
    {
      relays: Object.entries(instances).map(([instance, handles]) => ({ relay: 'edge', instance, handles })),
    },
  )

function factsOf(peers: readonly MeshObject[], status: MeshStatus = { identity: ANNOUNCED }) {
  const clock = { now: () => 0, wallNow: () => 0, setTimeout: () => 0, clearTimeout: () => {} }
  const world = { objects: () => peers.values() } as unknown as Parameters<typeof gatherIdentity>[0]['world']
  const slots = { a: ABSENT, b: ABSENT }
  const source = { object: object('MeshRelay', 'tools', {}, status), relay, slots, settleMs: 0 }
  return gatherIdentity({ clock, world }, { ...source, statementNotAfterMs: undefined }).facts
}

describe('instances that hold up a rotation', () => {
  it(`${requirement('OPR-006')} are those of peers that follow this relay and do not take its next key yet`, () => {
    const peers = [
      follower('a', { 'edge-0': ['one', 'two'], 'edge-1': ['one'] }),
      follower('b', { 'far-0': [] }),
      object('MeshPeer', 'pinned', {}, { relays: [{ relay: 'edge', instance: 'edge-9', handles: ['one'] }] }),
    ]
    expect(factsOf(peers).peersBehind).toEqual(['shop/edge-1', 'shop/far-0'])
    expect(factsOf(peers, { identity: { ...ANNOUNCED, next: undefined } as never }).peersBehind).toEqual([])
  })

  it(`${requirement('OPR-013')} are also those of a peer that is stored and not valid`, () => {
    expect(factsOf([follower('a', { 'edge-0': ['one'] }, { flavour: 'vanilla' })]).peersBehind).toEqual(['shop/edge-0'])
  })

  it(`${requirement('OPR-007')} are those of the relay that sign with another key`, () => {
    const relays = ['one', 'two', undefined].map((peerHandle, at) => ({
      relay: 'tools',
      instance: `tools-${at}`,
      ...(peerHandle === undefined ? {} : { peerHandle }),
    }))
    expect(factsOf([], { identity: ANNOUNCED, relays }).instancesBehind).toEqual(['shop/tools-1', 'shop/tools-2'])
  })
})

describe('whom a peer follows', () => {
  it('is in its own namespace, unless it says another', () => {
    expect(followedBy(follower('a', {}))).toBe('shop/tools')
    const far = { identityFrom: { relayRef: { name: 'tools', namespace: 'bank' } } }
    expect(followedBy(object('MeshPeer', 'a', far))).toBe('bank/tools')
  })

  it.each([undefined, null, {}, { identityFrom: null }, { identityFrom: { relayRef: null } }, { identityFrom: 1 }])(
    'is nobody where nothing is to be read: %j',
    (spec) => {
      expect(followedBy(object('MeshPeer', 'a', spec))).toBeUndefined()
    },
  )
})
