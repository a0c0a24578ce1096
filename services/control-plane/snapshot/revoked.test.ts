import { describe, expect, it } from 'vitest'
import { aBackend, aRelay, aRoute, HANDLE, told } from '../../../test/fixtures/control-plane/objects.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { SourceChange, SourceObject } from '../sources/source.ts'
import { Configuration } from './configuration.ts'

const ROUTE = 'MeshRoute shop/checkout'
const EDGE = 'default/edge'
const identity = { state: 'Active', peerHandle: HANDLE, secretName: 'causeway-edge-identity-a' } as const

/** A relay whose grant decides about objects of the namespace `shop`. */
const edge = (from: 'All' | 'Same'): SourceObject =>
  aRelay('edge', { identity: {}, allowedNamespaces: { from } }, { uid: 'edge', status: { identity } })
const relayRefs = [{ name: 'edge', namespace: 'default' }]
const backend = aBackend('everything', { relayRefs }, { namespace: 'shop' })
const checkout = (spec = {}, facts = {}): SourceObject =>
  aRoute('checkout', { relayRefs, ...spec }, { namespace: 'shop', ...facts })

const invalid: SourceChange['invalid'][number] = {
  kind: 'MeshRoute',
  name: 'shop/checkout',
  uid: '',
  generation: 2,
  problems: [{ fieldPath: 'spec.new', message: 'is not known' }],
}

function loaded(installation?: string): Configuration {
  const configuration = new Configuration({ place: 'cluster', installation, installationNamespace: undefined })
  configuration.apply(told(1, [edge('All'), backend, checkout()]))
  expect(configuration.snapshot(EDGE).has(ROUTE)).toBe(true)
  return configuration
}

describe(`${requirement('CTL-010')} an object that is not valid any more`, () => {
  it('goes with the grant that it needs, although its last good version is kept otherwise', () => {
    const configuration = loaded()
    configuration.apply(told(2, [], { invalid: [invalid] }))
    expect(configuration.snapshot(EDGE).has(ROUTE)).toBe(true)
    const effects = configuration.apply(told(3, [edge('Same')]))
    expect([...(effects.relays.get(EDGE) ?? [])]).toContain(ROUTE)
    expect([configuration.snapshot(EDGE).has(ROUTE), configuration.isKept(ROUTE, EDGE)]).toEqual([false, false])
    expect(configuration.state(ROUTE)?.standing.state).toBe('invalid')
  })

  it('goes when another installation has accepted its last good version', () => {
    const configuration = loaded('ours')
    configuration.apply(told(2, [checkout({}, { status: { controller: 'theirs' } })], { invalid: [] }))
    configuration.apply(told(3, [], { invalid: [invalid] }))
    expect(configuration.isKept(ROUTE, EDGE)).toBe(false)
  })
})

describe(`${requirement('CTL-009')} an object that is withheld`, () => {
  const pending = { captureHeaders: ['x-a'] }
  const far = aRelay('far', { identity: {}, allowedNamespaces: { from: 'All' } }, { uid: 'far', status: { identity } })
  const farBackend = aBackend(
    'everything',
    { relayRefs: [...relayRefs, { name: 'far', namespace: 'default' }] },
    { namespace: 'shop' },
  )
  const toFar = { relayRefs: [{ name: 'far', namespace: 'default' }] }

  it('goes from the relays that it does not name any more, and stays at the others', () => {
    const configuration = loaded()
    const both = { relayRefs: [...relayRefs, ...toFar.relayRefs] }
    configuration.apply(told(2, [far, farBackend, checkout(both)]))
    configuration.apply(told(3, [checkout({ ...pending, ...toFar })]))
    expect(configuration.state(ROUTE)?.standing.state).toBe('withheld')
    expect(configuration.snapshot(EDGE).has(ROUTE)).toBe(false)
    expect(configuration.snapshot('default/far').has(ROUTE)).toBe(true)
  })

  it('is kept, where no good version is known, only by instances of relays that it names', () => {
    const configuration = new Configuration({
      place: 'cluster',
      installation: undefined,
      installationNamespace: undefined,
    })
    configuration.apply(told(1, [edge('All'), far, farBackend, checkout({ ...pending, ...toFar })]))
    expect(configuration.isKept(ROUTE, 'default/far')).toBe(true)
    expect(configuration.isKept(ROUTE, EDGE)).toBe(false)
    // It is told when that becomes another.
    const effects = configuration.apply(told(2, [checkout({ ...pending, relayRefs })]))
    expect(configuration.isKept(ROUTE, 'default/far')).toBe(false)
    expect([...effects.everywhere]).toContain(ROUTE)
  })
})
