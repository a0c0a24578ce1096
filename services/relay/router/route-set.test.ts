import { requirement } from '@causeway/test/requirements'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RouteConfig } from '../config/relay-config.ts'
import type { CallTarget } from '../exchanges/contract.ts'
import type { RouteInForce } from '../live/in-force.ts'
import { RouteSet } from './route-set.ts'

const target = (name: string): CallTarget => ({
  name,
  call: () => ({ cancel() {}, resume() {} }),
  notify() {},
  endSession() {},
})

let routes: RouteSet
beforeEach(() => {
  routes = new RouteSet({
    backend: (name) => target(`backend/${name}`),
    peer: (name, of) => target(of === undefined ? `peer/${name}` : `peer/${name}/${of}`),
  })
})

function route(name: string, to: RouteConfig['target'], changes: Partial<RouteConfig> = {}): RouteConfig {
  return {
    name,
    path: `/${name}`,
    target: to,
    trustAnnotations: true,
    forwardHeaders: [],
    cors: undefined,
    requestTimeoutMs: undefined,
    maxBodyOctets: undefined,
    sessions: undefined,
    ...changes,
  }
}

function change(configs: readonly RouteConfig[], removed: readonly string[] = [], isAvailable = true) {
  const changes = new Map<string, RouteInForce | undefined>(removed.map((name) => [name, undefined]))
  for (const config of configs) changes.set(config.name, { config, isAvailable })
  return [...routes.change(changes)]
}

describe('routes that change', () => {
  it(`${requirement('RLY-019')} end the sessions of those that go or lead elsewhere, and of no others`, () => {
    const to = { peer: 'default/p', target: 'x' }
    expect(change([route('a', { backend: 'b' }), route('b', { backend: 'b' }), route('c', to)])).toEqual([])
    expect(change([route('a', { backend: 'b' }, { path: '/moved', sessions: 3 })])).toEqual([])
    expect(change([route('a', { backend: 'other' })])).toEqual(['a'])
    expect(change([route('c', { ...to, target: 'y' })])).toEqual(['c'])
    expect(change([], ['b'])).toEqual(['b'])
    expect(change([route('a', { backend: 'other' })], [], false)).toEqual(['a'])
  })

  it('say which backends are led to, and what is called behind a peer', () => {
    const behind = () => [...routes.targetsBehind('default/p')].sort()
    change([
      route('a', { backend: 'b' }),
      route('b', { backend: 'b' }),
      route('c', { peer: 'default/p', target: 'x' }),
      route('d', { peer: 'default/p', target: undefined }),
      route('e', { peer: 'default/q', target: 'x' }),
    ])
    expect([routes.leadsTo('b'), behind()]).toEqual([true, ['peer/default/p', 'peer/default/p/x']])
    change([], ['a', 'd'])
    expect([routes.leadsTo('b'), behind()]).toEqual([true, ['peer/default/p/x']])
    change([route('b', { backend: 'c' })], ['c'])
    expect([routes.leadsTo('b'), routes.leadsTo('c'), behind()]).toEqual([false, true, []])
  })
})
