import { expect, it } from 'vitest'
import { aBackend, aPeer, aRelay, aRoute, inNamespace, load, OTHER_HANDLE } from '../fixtures/written.ts'
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
