import { describe, expect, it } from 'vitest'
import {
  aBackend,
  aPeer,
  aRelay,
  aRoute,
  HANDLE,
  OTHER_HANDLE,
  told,
} from '../../../test/fixtures/control-plane/objects.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { SourceChange, SourceObject } from '../sources/source.ts'
import { Configuration } from './configuration.ts'

const ROUTE = 'MeshRoute shop/checkout'
const [EDGE, FAR] = ['default/edge', 'default/far']
const identity = { state: 'Active', peerHandle: HANDLE, secretName: 'causeway-edge-identity-a' } as const
const refs = (...names: readonly string[]) => ({ relayRefs: names.map((name) => ({ name, namespace: 'default' })) })

const relay = (name: string, allowedNamespaces: object = { from: 'All' }): SourceObject =>
  aRelay(name, { identity: {}, allowedNamespaces }, { uid: name, status: { identity } })
const backend = (name: string, ...relays: readonly string[]): SourceObject =>
  aBackend(name, refs(...relays), { namespace: 'shop' })
const routeTo = (name: string, spec: object = refs('edge'), facts: object = {}): SourceObject =>
  aRoute(
    'checkout',
    { path: '/one', transparent: { target: { backendRef: { name } } }, ...spec },
    { namespace: 'shop', uid: 'checkout', ...facts },
  )

/** A route to a backend, delivered to the relay edge; and what is told next. */
function world(...more: readonly SourceObject[]) {
  const configuration = new Configuration({
    place: 'cluster',
    installation: undefined,
    installationNamespace: undefined,
  })
  configuration.apply(told(1, [relay('edge'), relay('far'), backend('old', 'edge', 'far'), routeTo('old'), ...more]))
  let position = 1
  const first = configuration.snapshot(EDGE).get(ROUTE)
  expect(first).toBeDefined()
  return {
    configuration,
    tell: (upserts: readonly SourceObject[], change: Partial<SourceChange> = {}) =>
      configuration.apply(told(++position, upserts, change)),
    /** Which version the relay has: the first one, a newer one, or none. */
    has: (relayName = EDGE) => {
      const now = configuration.snapshot(relayName).get(ROUTE)
      if (now === undefined) return configuration.isKept(ROUTE, relayName) ? 'whatever it had' : 'nothing'
      return now.versionHex === first?.versionHex ? 'the first' : 'another'
    },
    state: () => configuration.state(ROUTE)?.standing,
  }
}

const removed = (kind: 'MeshBackend' | 'MeshRelay', name: string): Partial<SourceChange> => ({
  removals: [{ kind, name }],
})

describe(`${requirement('CTL-009')} an object that names what has not been told yet`, () => {
  it('has its last good version in force until it is told', () => {
    const { tell, has, state } = world()
    const effects = tell([routeTo('new')])
    expect([effects.relays.size, effects.everywhere.size, has()]).toEqual([0, 0, 'the first'])
    expect(state()).toMatchObject({ state: 'refused', findings: [{ id: 'NotFound' }] })
    tell([routeTo('newer')])
    expect(has()).toBe('the first')
    tell([backend('newer', 'edge')])
    expect([has(), state()?.state]).toEqual(['another', 'delivered'])
  })

  it('the same where what it names is told to be on its relay later', () => {
    const { tell, has } = world(backend('new', 'far'))
    tell([routeTo('new')])
    expect(has()).toBe('the first')
    tell([backend('new', 'edge')])
    expect(has()).toBe('another')
  })

  it('is taken from relays that it does not name any more', () => {
    const { tell, has } = world()
    tell([routeTo('old', refs('edge', 'far'))])
    tell([routeTo('new', refs('far'))])
    expect([has(EDGE), has(FAR)]).toEqual(['nothing', 'the first'])
    // What becomes of the others is nothing to it.
    tell([], removed('MeshRelay', EDGE))
    expect(has(FAR)).toBe('the first')
  })

  it('stays as it was also while it is not valid after that', () => {
    const { tell, has } = world()
    tell([routeTo('new')])
    const problems = [{ fieldPath: 'spec.new', message: 'is not known' }]
    tell([], { invalid: [{ kind: 'MeshRoute', name: 'shop/checkout', uid: 'checkout', generation: 3, problems }] })
    expect(has()).toBe('the first')
  })

  it('has nothing of another object that had its name', () => {
    const { tell, has } = world()
    tell([routeTo('new', refs('edge'), { uid: 'again' })])
    expect(has()).toBe('nothing')
  })

  it('and nothing where it was never good', () => {
    const { tell, has } = world()
    tell([], { removals: [{ kind: 'MeshRoute', name: 'shop/checkout' }] })
    tell([routeTo('new')])
    expect(has()).toBe('nothing')
  })
})

describe.each([
  ['names what is not there', 'new', {}],
  ['cannot be sent', 'other', { captureHeaders: ['x-a'] }],
])(`${requirement('CTL-010')} the last good version of an object that %s goes at once`, (_why, target, spec) => {
  const changed = () => {
    const all = world(backend('other', 'edge'))
    all.tell([routeTo(target, { ...refs('edge'), ...spec })])
    expect(all.has()).toBe('the first')
    return all
  }

  it('with what it names itself', () => {
    const { tell, has } = changed()
    const effects = tell([], removed('MeshBackend', 'shop/old'))
    expect([has(), [...(effects.relays.get(EDGE) ?? [])].includes(ROUTE)]).toEqual(['nothing', true])
    // An instance that was away meanwhile does not keep it either.
    tell([backend('old', 'edge'), routeTo(target, { ...refs('edge'), ...spec })])
    expect(has()).toBe('nothing')
  })

  it('with the grant that it needs', () => {
    const { tell, has } = changed()
    tell([relay('edge', { from: 'Same' })])
    expect(has()).toBe('nothing')
  })

  it('with a label that the grant selects by', () => {
    const { tell, has } = changed()
    const grant = { from: 'Selector', selector: { matchLabels: { team: 'x' } } }
    const labelled = (labels: Readonly<Record<string, string>>) => ({
      namespaces: { upserts: [{ name: 'shop', labels }], removals: [] },
    })
    tell([], labelled({ team: 'x' }))
    tell([relay('edge', grant)])
    expect(has()).toBe('the first')
    tell([], labelled({ team: 'y' }))
    expect(has()).toBe('nothing')
  })

  it('with a label that what it names selects by, and what the newer version names does not', () => {
    const { tell, has } = world(backend('other', 'edge'))
    const labelled = (team: string) => ({ namespaces: { upserts: [{ name: 'shop', labels: { team } }], removals: [] } })
    const grant = { allowedNamespaces: { from: 'Selector', selector: { matchLabels: { team: 'x' } } } }
    tell([aBackend('shared', { relayRefs: [{ name: 'edge' }], ...grant })], labelled('x'))
    const toShared = { transparent: { target: { backendRef: { name: 'shared', namespace: 'default' } } } }
    tell([routeTo('', { ...refs('edge'), ...toShared })])
    tell([routeTo(target, { ...refs('edge'), ...spec })])
    expect(has()).toBe('another')
    tell([], labelled('y'))
    expect(has()).toBe('nothing')
  })

  it('when it is moved off the relay by what it names', () => {
    const { tell, has } = changed()
    tell([backend('old', 'far')])
    expect(has()).toBe('nothing')
  })
})

describe(`${requirement('CTL-010')} a path that the last good version has`, () => {
  it('is of whoever else asks for it, from the same change on', () => {
    const { tell, has, configuration } = world()
    tell([routeTo('new', { ...refs('edge'), path: '/two' })])
    expect(has()).toBe('the first')
    tell([
      aRoute(
        'zeta',
        { ...refs('edge'), path: '/one', transparent: { target: { backendRef: { name: 'old' } } } },
        { namespace: 'shop' },
      ),
    ])
    expect([has(), configuration.snapshot(EDGE).has('MeshRoute shop/zeta')]).toEqual(['nothing', true])
  })

  it('does not stay with an object that wants one that another has', () => {
    const { tell, has, state } = world(
      aRoute(
        'alpha',
        { ...refs('edge'), path: '/taken', transparent: { target: { backendRef: { name: 'old' } } } },
        { namespace: 'shop' },
      ),
    )
    tell([routeTo('new', { ...refs('edge'), path: '/taken' })])
    expect([has(), state()?.state]).toEqual(['nothing', 'refused'])
  })
})

describe(`${requirement('CTL-010')} whoever is let in no more`, () => {
  const BACKEND = 'MeshBackend default/server'
  const PEER = 'MeshPeer default/a'
  const edgeRefs = { relayRefs: [{ name: 'edge' }] }
  const peers = (...names: readonly string[]) => names.map((name) => ({ name }))
  const server = (spec: object): SourceObject => aBackend('server', { ...edgeRefs, ...spec }, { uid: 'server' })
  const peerA = (spec: object): SourceObject => aPeer('a', { ...edgeRefs, ...spec }, { uid: 'a' })
  const loaded = () =>
    world(
      peerA({}),
      aPeer('b', { ...edgeRefs, identity: { handles: [OTHER_HANDLE] } }),
      server({ peers: peers('a', 'b'), acceptHeaders: ['x-a'] }),
    )
  const has = ({ configuration }: ReturnType<typeof world>, key: string) => configuration.snapshot(EDGE).has(key)

  it.each([
    ['a peer', { peers: peers('a', 'typo'), acceptHeaders: ['x-a'] }],
    ['a header', { peers: peers('a', 'b', 'typo') }],
  ])('is not by the last good version of a backend: %s', (_what, spec) => {
    const all = loaded()
    expect(has(all, BACKEND)).toBe(true)
    all.tell([server({ peers: peers('a', 'b', 'typo'), acceptHeaders: ['x-a'] })])
    expect(has(all, BACKEND)).toBe(true)
    all.tell([server(spec)])
    expect(has(all, BACKEND)).toBe(false)
  })

  it.each([
    ['another identity', {}, { identity: { handles: [`${HANDLE.slice(0, -1)}q`] } }, false],
    ['the identity of a relay', {}, { identityFrom: { relayRef: { name: 'far' } } }, false],
    ['no successors', { acceptSuccessors: true }, {}, false],
    ['the same', { acceptSuccessors: true }, { acceptSuccessors: true }, true],
  ])('is not by that of a peer: %s', (_what, before, after, stays) => {
    const all = loaded()
    all.tell([peerA(before)])
    all.tell([peerA({ ...after, defaultBackend: { name: 'typo' } })])
    expect(has(all, PEER)).toBe(stays)
  })
})
