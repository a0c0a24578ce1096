import { describe, expect, it } from 'vitest'
import type { ObjectId } from '../check/object-id.ts'
import {
  aBackend,
  anAnchor,
  aPeer,
  aPolicy,
  aRelay,
  aRoute,
  inNamespace,
  valid,
  type Written,
} from '../fixtures/written.ts'
import { MeshIndex } from './mesh-index.ts'

const tools: ObjectId = { kind: 'MeshPeer', name: 'default/tools' }
const route: ObjectId = { kind: 'MeshRoute', name: 'default/everything' }
const toTools = { transparent: { target: { peer: { name: 'tools', target: 'search' } } } }
const fromAnchor = { identity: {}, trustAnchorRef: { name: 'partners' } }
const all = { allowedNamespaces: { from: 'All' } }

const indexOf = (...objects: readonly Written[]) => {
  const index = new MeshIndex({ place: 'cluster', installationNamespace: 'causeway-system' })
  index.apply({ upserts: valid(...objects) })
  return index
}

const withoutKey = (name: string, spec = {}) => aRelay(name, { identity: {}, ...spec })

describe('what follows from a change', () => {
  it('a backend that lets a peer in no more: the peer, whose default it is', () => {
    const index = indexOf(
      withoutKey('edge'),
      aPeer('tools', { defaultBackend: { name: 'everything' } }),
      aBackend('everything', { peers: [{ name: 'tools' }] }),
    )
    expect(index.findingsOf(tools)).toEqual([])
    expect(index.apply({ upserts: valid(aBackend('everything')) }).verdicts).toEqual([tools])
    expect(index.findingsOf(tools)).toMatchObject([
      { id: 'NotFound', message: 'not found or not permitted: MeshBackend default/everything' },
    ])
  })

  it('a peer that can be told no target any more: the routes that tell it one', () => {
    const backend = aBackend('everything', { peers: [{ name: 'tools' }] })
    const index = indexOf(withoutKey('edge'), aPeer(), backend, aRoute('everything', toTools))
    const foreign = aPeer('tools', { assumedProtocols: ['mcp'], defaultBackend: { name: 'everything' } })
    const effect = index.apply({ upserts: valid(foreign) })
    expect(effect.verdicts).toEqual([route])
    expect(effect.closures).toEqual(new Map([['default/edge', [tools, route]]]))
  })

  it('a field that nobody else reads: nobody else', () => {
    const index = indexOf(withoutKey('edge'), aPeer(), aRoute('everything', toTools))
    const effect = index.apply({ upserts: valid(aPeer('tools', { associations: 3 })) })
    expect(effect.verdicts).toEqual([])
    expect(effect.closures).toEqual(new Map([['default/edge', [tools]]]))
  })

  it('a relay that permits a namespace no more: all of it leaves the closure, and its claims with it', () => {
    const later = inNamespace(
      'team',
      aRoute('later', { relayRefs: [{ name: 'edge', namespace: 'default' }], path: '/x', ...toTools }),
    )
    const earlier = inNamespace(
      'a',
      aRoute('earlier', { relayRefs: [{ name: 'edge', namespace: 'default' }], path: '/x', ...toTools }),
    )
    const selector = { matchLabels: { tier: 'edge' } }
    const index = indexOf(withoutKey('edge', { allowedNamespaces: { from: 'Selector', selector } }), later, earlier)
    const routesOf = () => index.closureOf('default/edge')?.routes.map(({ metadata }) => metadata.namespace)
    const labelled = (name: string) => ({ namespaces: { upserts: [{ name, labels: { tier: 'edge' } }] } })
    expect(routesOf()).toEqual([])

    index.apply(labelled('team'))
    expect(routesOf()).toEqual(['team'])
    index.apply(labelled('a'))
    expect(routesOf()).toEqual(['a', 'team'])
    const taken = () =>
      index.findingsOf({ kind: 'MeshRoute', name: 'team/later' }).filter(({ id }) => id === 'PathTaken')
    expect(taken()).toHaveLength(1)
    expect(index.apply({ namespaces: { removals: ['a'] } }).closures.get('default/edge')).toContainEqual({
      kind: 'MeshRoute',
      name: 'a/earlier',
    })
    expect(routesOf()).toEqual(['team'])
    expect(taken()).toEqual([])
  })

  it('an anchor is in the closures of the peers that use it, comes with them and goes with them', () => {
    const anchor: ObjectId = { kind: 'TrustAnchor', name: 'default/partners' }
    const index = indexOf(withoutKey('edge'), aPeer('tools', fromAnchor))
    const anchors = () => index.closureOf('default/edge')?.anchors.map(({ metadata }) => metadata.name)
    expect(anchors()).toEqual([])
    const came = index.apply({ upserts: valid(anAnchor()) })
    expect(came.verdicts).toEqual([tools])
    expect(came.closures).toEqual(new Map([['default/edge', [tools, anchor]]]))
    expect(anchors()).toEqual(['partners'])
    expect(index.apply({ removals: [tools] }).closures).toEqual(new Map([['default/edge', [tools, anchor]]]))
    expect(anchors()).toEqual([])
  })

  it('a policy of the installation is for every relay, one of a namespace for that', () => {
    const index = indexOf(withoutKey('edge'), aRoute('everything', toTools), inNamespace('team', withoutKey('far')))
    index.apply({ upserts: valid(inNamespace('causeway-system', aPolicy('all')), aPolicy('own')) })
    const policies = (relay: string) => index.closureOf(relay)?.policies.map(({ metadata }) => metadata.name)
    expect(policies('default/edge')).toEqual(['all', 'own'])
    expect(policies('team/far')).toEqual(['all'])
  })
})

describe('who uses an object', () => {
  it('is known by every field that names it, from whatever namespace, and without it', () => {
    const index = indexOf(
      inNamespace(
        'team',
        aPeer('tools', { identity: {}, identityFrom: { relayRef: { name: 'far', namespace: 'b' } } }),
      ),
      inNamespace('b', aBackend('search', { relayRefs: [{ name: 'far' }] })),
    )
    expect(index.usersOf({ kind: 'MeshRelay', name: 'b/far' })).toEqual([
      { kind: 'MeshBackend', name: 'b/search' },
      { kind: 'MeshPeer', name: 'team/tools' },
    ])
  })
})

describe('grants', () => {
  it('absent and ungranted read alike, whatever is wrong with the object', () => {
    const use = {
      relayRefs: [{ name: 'edge' }],
      transparent: { target: { backendRef: { name: 'x', namespace: 'b' } } },
    }
    const said = (...objects: readonly Written[]) => {
      const index = indexOf(withoutKey('edge'), aRoute('everything', use), ...objects)
      return index.findingsOf(route).map(({ id, fieldPath, message }) => ({ id, fieldPath, message }))
    }
    const absent = said()
    expect(absent).toMatchObject([{ id: 'NotFound', message: 'not found or not permitted: MeshBackend b/x' }])
    const elsewhere = { relayRefs: [{ name: 'edge', namespace: 'default' }] }
    expect(said(inNamespace('b', aBackend('x')))).toEqual(absent)
    expect(said(inNamespace('b', aBackend('x', elsewhere)))).toEqual(absent)
    expect(said(inNamespace('b', aBackend('x', { ...elsewhere, ...all })))).toMatchObject([{ id: 'NotOnRelay' }])

    const index = indexOf(withoutKey('edge'), aRoute('everything', use))
    index.apply({ declared: [{ kind: 'MeshBackend', name: 'b/x' }] })
    expect(index.findingsOf(route), 'not valid, and of another namespace').toMatchObject(absent)
  })

  it('a relay that is not one’s own to name is not told by what others have on it', () => {
    const refs = { relayRefs: [{ name: 'secret', namespace: 'b' }] }
    const target = { transparent: { target: { backendRef: { name: 'everything' } } } }
    const said = (...objects: readonly Written[]) =>
      indexOf(aRoute('everything', { ...refs, ...target }), aBackend('everything', refs), ...objects)
        .findingsOf(route)
        .map(({ message }) => message)
    expect(said(inNamespace('b', withoutKey('secret')))).toEqual(said())
  })

  it('both sides permit: then the object is used, and is in the closure', () => {
    const refs = { relayRefs: [{ name: 'edge', namespace: 'default' }] }
    const index = indexOf(
      withoutKey('edge', all),
      inNamespace('b', aBackend('x', { ...refs, ...all })),
      aRoute('everything', { transparent: { target: { backendRef: { name: 'x', namespace: 'b' } } } }),
    )
    expect(
      index
        .all()
        .flatMap((object) =>
          index.findingsOf({ kind: object.kind, name: `${object.metadata.namespace}/${object.metadata.name}` }),
        ),
    ).toEqual([])
    expect(index.closureOf('default/edge')?.backends.map(({ metadata }) => metadata.namespace)).toEqual(['b'])
  })
})
