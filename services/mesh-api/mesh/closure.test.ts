import { expect, it } from 'vitest'
import {
  aBackend,
  anAnchor,
  aPeer,
  aPolicy,
  aRecord,
  aRelay,
  aRoute,
  inNamespace,
  load,
  OTHER_HANDLE,
  valid,
  type Written,
} from '../fixtures/written.ts'
import type { ResourceOf, Resources } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import { loadResources } from '../load/load.ts'
import { closureOf } from './closure.ts'

const names = (objects: readonly { metadata: { namespace: string; name: string } }[]) =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)

/** CONTROL section 1: a relay is sent the closure of itself. Nothing else. */
it('the closure of a relay is what names it, and nothing else', () => {
  const far = { relayRefs: [{ name: 'far' }] }
  const both = { relayRefs: [{ name: 'edge' }, { name: 'far' }] }
  const resources = load(
    aRelay('edge'),
    aRelay('far'),
    inNamespace('other', aRelay('edge')),
    aPeer('p-edge'),
    aPeer('p-far', { ...far, identity: { handles: [OTHER_HANDLE] } }),
    aBackend('b-edge'),
    aBackend('b-both', both),
    inNamespace('other', aBackend('b-edge')),
    aRoute('r-edge', { transparent: { target: { backendRef: { name: 'b-edge' } } } }),
    aRoute('r-both', { ...both, transparent: { target: { backendRef: { name: 'b-both' } } } }),
    aRoute('r-far', { ...far, transparent: { target: { peer: { name: 'p-far' } } } }),
  )

  const edge = closureOf(resources, 'default/edge')
  expect(edge?.relay.metadata).toMatchObject({ namespace: 'default', name: 'edge' })
  expect(names(edge?.peers ?? [])).toEqual(['default/p-edge'])
  expect(names(edge?.backends ?? [])).toEqual(['default/b-both', 'default/b-edge'])
  expect(names(edge?.routes ?? [])).toEqual(['default/r-both', 'default/r-edge'])

  expect(names(closureOf(resources, 'other/edge')?.backends ?? [])).toEqual(['other/b-edge'])
  expect(names(closureOf(resources, 'far')?.routes ?? [])).toEqual(['default/r-both', 'default/r-far'])
  expect(closureOf(resources, 'edge'), 'a bare name in two namespaces').toBeUndefined()
  expect(closureOf(resources, 'nobody')).toBeUndefined()
})

it('with it come the policies that are for any of it, and the anchors that its peers use', () => {
  const resources: Resources = {
    ...EMPTY,
    relays: of('MeshRelay', aRelay('edge', { identity: {} }), aRelay('far', { identity: {} })),
    peers: of('MeshPeer', aPeer('tools', { identity: {}, trustAnchorRef: { name: 'used' } })),
    records: of('DiscoveryRecord', aRecord('here'), aRecord('there', { relayRefs: [{ name: 'far' }] })),
    policies: of(
      'SafetyPolicy',
      aPolicy('of-the-peer', { targetRefs: [{ kind: 'MeshPeer', name: 'tools' }] }),
      aPolicy('of-another', { targetRefs: [{ kind: 'MeshRoute', name: 'none' }] }),
      inNamespace('causeway-system', aPolicy('of-every-relay')),
      inNamespace('team', aPolicy('of-another-namespace')),
    ),
    anchors: of('TrustAnchor', anAnchor('used'), anAnchor('unused')),
  }
  const options = { place: 'cluster', installationNamespace: 'causeway-system' } as const
  const edge = closureOf(resources, 'edge', options)
  expect(names(edge?.records ?? [])).toEqual(['default/here'])
  expect(names(edge?.anchors ?? [])).toEqual(['default/used'])
  expect(names(edge?.policies ?? [])).toEqual(['causeway-system/of-every-relay', 'default/of-the-peer'])
  const far = closureOf(resources, 'far', options)
  expect(names(far?.anchors ?? [])).toEqual([])
  expect(names(far?.policies ?? [])).toEqual(['causeway-system/of-every-relay'])
})

const EMPTY = loadResources([])

function of<Name extends KindName>(kind: Name, ...objects: readonly Written[]): ResourceOf<Name>[] {
  return valid(...objects).filter((object): object is ResourceOf<Name> => object.kind === kind)
}
