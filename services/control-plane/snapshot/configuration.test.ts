import { decodeBody } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import {
  aBackend,
  anObject,
  aPeer,
  aRelay,
  aRoute,
  HANDLE,
  OTHER_HANDLE,
  told,
} from '../../../test/fixtures/control-plane/objects.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { SourceChange } from '../sources/source.ts'
import { Configuration } from './configuration.ts'

function aConfiguration(place: 'files' | 'cluster' = 'files', installation?: string): Configuration {
  return new Configuration({ place, installation, installationNamespace: undefined })
}

function loaded(...objects: SourceChange['upserts']): Configuration {
  const configuration = aConfiguration()
  configuration.apply(told(1, objects))
  return configuration
}

const keysOf = (configuration: Configuration, relay: string): string[] =>
  [...configuration.snapshot(relay).keys()].sort()
const standing = (configuration: Configuration, key: string) => configuration.state(key)?.standing
const invalid = (kind: 'MeshRoute' | 'MeshRelay', name: string, generation: number, uid = '') => ({
  kind,
  name,
  uid,
  generation,
  problems: [{ fieldPath: 'spec.path', message: 'is required' }],
})

function bodyOf(configuration: Configuration, relay: string, key: string) {
  const resource = configuration.snapshot(relay).get(key)
  if (resource === undefined) throw new Error(`${relay} has no ${key}`)
  const decoded = decodeBody(resource.kind, resource.body)
  if (typeof decoded === 'string') throw new Error(decoded)
  return decoded.message
}

describe(`${requirement('CTL-003')} what a relay is to have`, () => {
  it('is everything that names it, and nothing else', () => {
    const far = { relayRefs: [{ name: 'far' }] }
    const configuration = loaded(
      aRelay(),
      aRelay('far'),
      aBackend(),
      aRoute(),
      aPeer('tools', far),
      aBackend('other', { relayRefs: [{ name: 'edge' }, { name: 'far' }] }),
    )
    expect(keysOf(configuration, 'default/edge')).toEqual([
      'MeshBackend default/everything',
      'MeshBackend default/other',
      'MeshRelay default/edge',
      'MeshRoute default/everything',
    ])
    expect(keysOf(configuration, 'default/far')).toEqual([
      'MeshBackend default/other',
      'MeshPeer default/tools',
      'MeshRelay default/far',
    ])
  })

  it('a change concerns the relays of the object, those before and those after', () => {
    const configuration = loaded(aRelay(), aRelay('far'), aRelay('third'), aBackend('b'))
    const effects = configuration.apply(told(2, [aBackend('b', { relayRefs: [{ name: 'far' }] })]))
    expect([...effects.relays.keys()].sort()).toEqual(['default/edge', 'default/far'])
    expect(keysOf(configuration, 'default/edge')).toEqual(['MeshRelay default/edge'])
  })

  it('a change that means nothing to relays concerns none, and is another generation', () => {
    const configuration = loaded(aRelay(), aBackend())
    const effects = configuration.apply(told(2, [aBackend('everything', {}, { generation: 2 })]))
    expect(effects.relays.size).toBe(0)
    expect(configuration.state('MeshBackend default/everything')?.generation).toBe(2)
  })

  it('what others forbid goes, and comes back with the reason gone', () => {
    const configuration = loaded(aRelay(), aBackend(), aRoute())
    configuration.apply(told(2, [], { removals: [{ kind: 'MeshBackend', name: 'default/everything' }] }))
    expect(standing(configuration, 'MeshRoute default/everything')).toMatchObject({
      state: 'refused',
      findings: [{ id: 'NotFound' }],
    })
    expect(keysOf(configuration, 'default/edge')).toEqual(['MeshRelay default/edge'])
    configuration.apply(told(3, [aBackend()]))
    expect(keysOf(configuration, 'default/edge')).toContain('MeshRoute default/everything')
  })

  it('of two that take one path the earlier by name has it, whichever came first', () => {
    const configuration = loaded(aRelay(), aBackend(), aRoute('zeta', { path: '/x' }))
    const effects = configuration.apply(told(2, [aRoute('alpha', { path: '/x' })]))
    expect(keysOf(configuration, 'default/edge')).toContain('MeshRoute default/alpha')
    expect(keysOf(configuration, 'default/edge')).not.toContain('MeshRoute default/zeta')
    expect([...(effects.relays.get('default/edge') ?? [])].sort()).toEqual([
      'MeshRoute default/alpha',
      'MeshRoute default/zeta',
    ])
  })
})

describe(`${requirement('CTL-009')} last good`, () => {
  it('an object that is not valid any more stays as it was', () => {
    const configuration = loaded(aRelay(), aBackend(), aRoute())
    const before = configuration.snapshot('default/edge').get('MeshRoute default/everything')
    const effects = configuration.apply(told(2, [], { invalid: [invalid('MeshRoute', 'default/everything', 7)] }))
    expect(effects.relays.size).toBe(0)
    expect(configuration.snapshot('default/edge').get('MeshRoute default/everything')).toBe(before)
    expect(configuration.state('MeshRoute default/everything')).toMatchObject({
      generation: 7,
      standing: { state: 'invalid' },
    })
  })

  it('but not that of another object that had its name', () => {
    const configuration = aConfiguration()
    configuration.apply(told(1, [aRelay(), aBackend(), aRoute('everything', {}, { uid: 'a' })]))
    configuration.apply(told(2, [], { invalid: [invalid('MeshRoute', 'default/everything', 1, 'b')] }))
    expect(keysOf(configuration, 'default/edge')).not.toContain('MeshRoute default/everything')
  })

  it('nor of another object that cannot be sent', () => {
    const configuration = aConfiguration('cluster')
    const identity = { state: 'Active', peerHandle: HANDLE, secretName: 'causeway-edge-identity-a' } as const
    const relay = aRelay('edge', { identity: {} }, { uid: 'u', status: { identity } })
    configuration.apply(told(1, [relay, aBackend(), aRoute('everything', {}, { uid: 'a' })]))
    const pending = { captureHeaders: ['x-a'] }
    configuration.apply(told(2, [aRoute('everything', pending, { uid: 'b' })]))
    expect(standing(configuration, 'MeshRoute default/everything')).toMatchObject({ state: 'withheld' })
    expect(keysOf(configuration, 'default/edge')).not.toContain('MeshRoute default/everything')
  })

  it('of an object that was never valid here relays keep whatever they have', () => {
    const configuration = loaded(aRelay(), aBackend())
    configuration.apply(told(2, [], { invalid: [invalid('MeshRoute', 'default/old', 1)] }))
    expect(configuration.isKept('MeshRoute default/old', 'default/edge')).toBe(true)
    const effects = configuration.apply(told(3, [], { removals: [{ kind: 'MeshRoute', name: 'default/old' }] }))
    expect(configuration.isKept('MeshRoute default/old', 'default/edge')).toBe(false)
    expect([...effects.everywhere]).toEqual(['MeshRoute default/old'])
  })

  it('nobody is blamed for naming what is not valid', () => {
    const configuration = aConfiguration()
    const route = aRoute('a', { transparent: { target: { backendRef: { name: 'odd' } } } })
    const odd = { kind: 'MeshBackend', name: 'default/odd', uid: '', generation: 1, problems: [] } as const
    configuration.apply(told(1, [aRelay(), route], { invalid: [odd] }))
    expect(standing(configuration, 'MeshRoute default/a')).toEqual({ state: 'delivered' })
  })

  it('what is not implemented yet is withheld, and what was there before stays', () => {
    const configuration = aConfiguration('cluster')
    const identity = { state: 'Active', peerHandle: HANDLE, secretName: 'causeway-edge-identity-a' } as const
    const relay = aRelay('edge', { identity: {} }, { uid: 'u', status: { identity } })
    configuration.apply(told(1, [relay, aBackend(), aRoute()]))
    const before = configuration.snapshot('default/edge').get('MeshRoute default/everything')
    expect(before).toBeDefined()
    configuration.apply(told(2, [aRoute('everything', { captureHeaders: ['x-a'] }, { generation: 2 })]))
    expect(standing(configuration, 'MeshRoute default/everything')).toMatchObject({
      state: 'withheld',
      withheld: { reason: 'NotImplemented', message: 'spec.captureHeaders is not implemented yet' },
    })
    expect(configuration.snapshot('default/edge').get('MeshRoute default/everything')).toBe(before)
  })

  it('kinds that relays are not sent have a standing of their own', () => {
    const configuration = loaded(aRelay())
    configuration.apply(told(2, [anObject('TrustAnchor', 'partners', { handles: [HANDLE], uses: ['peers'] })]))
    expect(standing(configuration, 'TrustAnchor default/partners')).toEqual({ state: 'not delivered' })
  })
})

describe(`${requirement('CTL-011')} identities of the same mesh`, () => {
  const cluster = (name: string, identity?: Parameters<typeof aRelay>[2]) =>
    anObject('MeshRelay', name, { listeners: { npamp: { port: 7000 } } }, { uid: `uid-${name}`, ...identity })
  const follower = aPeer('far', { identityFrom: { relayRef: { name: 'far' } } })
  const active = { state: 'Active', peerHandle: HANDLE, secretName: 'causeway-far-identity-a' } as const
  const handlesOf = (configuration: Configuration) => bodyOf(configuration, 'default/edge', 'MeshPeer default/far')

  it('are followed as they change, and withheld until they are there', () => {
    const configuration = aConfiguration('cluster')
    const edge = cluster('edge', { status: { identity: { ...active, secretName: 'causeway-edge-identity-b' } } })
    configuration.apply(told(1, [edge, cluster('far'), follower]))
    expect(standing(configuration, 'MeshPeer default/far')).toMatchObject({ withheld: { reason: 'IdentityPending' } })
    expect(standing(configuration, 'MeshRelay default/far')).toMatchObject({ withheld: { reason: 'IdentityPending' } })

    configuration.apply(told(2, [cluster('far', { status: { identity: active } })]))
    expect(handlesOf(configuration)).toMatchObject({ identity: { value: { handles: [HANDLE] } } })

    const next = { next: OTHER_HANDLE, nextSecretName: 'causeway-far-identity-b', successor: 'AAEC' }
    const announced = { ...active, state: 'Announced' as const, ...next }
    const effects = configuration.apply(told(3, [cluster('far', { status: { identity: announced } })]))
    expect([...effects.relays.keys()].sort()).toEqual(['default/edge', 'default/far'])
    expect(handlesOf(configuration)).toMatchObject({ identity: { value: { handles: [HANDLE, OTHER_HANDLE] } } })
    expect(bodyOf(configuration, 'default/far', 'MeshRelay default/far')).toMatchObject({
      identity: {
        key: { location: { case: 'mounted', value: 'identity/a.pem' } },
        successor: { key: { location: { value: 'identity/b.pem' } }, peerHandle: OTHER_HANDLE },
      },
    })

    const secretName = 'causeway-far-identity-b'
    const switched = { state: 'Switched', peerHandle: OTHER_HANDLE, secretName, previous: HANDLE } as const
    configuration.apply(told(4, [cluster('far', { status: { identity: switched } })]))
    expect(handlesOf(configuration)).toMatchObject({ identity: { value: { handles: [OTHER_HANDLE, HANDLE] } } })
  })
})

describe(`${requirement('CTL-010')} another installation`, () => {
  it('has its objects for itself', () => {
    const configuration = aConfiguration('files', 'ours')
    const objects = [
      aRelay(),
      aBackend('a', {}, { status: { controller: 'theirs' } }),
      aBackend('b', {}, { status: { controller: 'ours' } }),
    ]
    configuration.apply(told(1, objects))
    expect(keysOf(configuration, 'default/edge')).toEqual(['MeshBackend default/b', 'MeshRelay default/edge'])
  })
})
