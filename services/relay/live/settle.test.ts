import type { ResourceKindName } from '@causeway/rpc'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import { settle } from './settle.ts'
import { claimsOf, keyOf, type Table } from './table.ts'

type RouteTo = { readonly backend: string } | { readonly peer: string }

/** Only what is looked at here. */
const table = {
  route: (path: string, to: RouteTo) => ({ kind: 'route', config: { path, target: to } }) as unknown as Table,
  backend: (wireName: string) => ({ kind: 'backend', config: { wireName } }) as unknown as Table,
  peer: (...handles: string[]) =>
    ({
      kind: 'peer',
      config: { identity: handles.length === 0 ? { mode: 'any' } : { mode: 'handles', handles } },
    }) as unknown as Table,
}

/** A relay as it is: what is in force, and what is to come. */
class Scene {
  readonly entries = new Map<string, Entry>()
  readonly holders = new Map<string, Entry>()
  readonly prepared = new Map<Entry, Table>()
  readonly removed = new Set<Entry>()

  /** In force at version 1. */
  force(name: string, forced: Table, isAvailable = true): Entry {
    const entry = this.#entry(name, forced.kind, '1')
    entry.force = { version: '1', table: forced, isAvailable, contents: '' }
    for (const claim of claimsOf(forced)) this.holders.set(claim, entry)
    return entry
  }

  /** Sent as version 2, and good by itself. */
  send(name: string, sent: Table): Entry {
    const entry = this.#entry(name, sent.kind, '2')
    this.prepared.set(entry, sent)
    return entry
  }

  /** Sent as version 2, and not good by itself. */
  spoil(name: string, kind: ResourceKindName): Entry {
    return this.#entry(name, kind, '2')
  }

  remove(entry: Entry): void {
    entry.sent = undefined
    this.removed.add(entry)
  }

  settle() {
    const { accepted, unavailable, problems } = settle(this)
    const names = (of: Iterable<Entry>) => [...of].map(({ id }) => id.name).sort()
    const reasons = Object.fromEntries([...problems].map(([{ id }, { reason }]) => [id.name, reason]))
    return { accepted: names(accepted.keys()), unavailable: names(unavailable.keys()), reasons }
  }

  #entry(name: string, kind: ResourceKindName, version: string): Entry {
    const id = { kind, name }
    const entry = this.entries.get(keyOf(id)) ?? { id, sent: undefined, force: undefined, refusal: undefined }
    entry.sent = { kind, name, version } as unknown as Entry['sent']
    this.entries.set(keyOf(id), entry)
    return entry
  }
}

describe('what comes into force together', () => {
  it('is everything that leads to what is there, also to what comes at the same time', () => {
    const scene = new Scene()
    scene.force('b', table.backend('b'))
    scene.send('old', table.route('/old', { backend: 'b' }))
    scene.send('new', table.route('/new', { backend: 'c' }))
    scene.send('c', table.backend('c'))
    expect(scene.settle()).toEqual({ accepted: ['c', 'new', 'old'], unavailable: [], reasons: {} })
  })

  it(`${requirement('RLY-004')} is not what leads to something that keeps an older version`, () => {
    const scene = new Scene()
    scene.force('b', table.backend('b'))
    scene.force('r', table.route('/r', { backend: 'b' }))
    scene.spoil('b', 'backend')
    scene.send('r', table.route('/changed', { backend: 'b' }))
    expect(scene.settle()).toEqual({ accepted: [], unavailable: [], reasons: { r: 'DependencyRefused' } })
  })

  it('is a route that is there already, whatever its target keeps', () => {
    const scene = new Scene()
    scene.force('b', table.backend('b'))
    const route = scene.force('r', table.route('/r', { backend: 'b' }))
    scene.spoil('b', 'backend')
    scene.prepared.set(route, table.route('/r', { backend: 'b' }))
    expect(scene.settle()).toMatchObject({ accepted: ['r'], reasons: {} })
  })

  it.each([
    ['is not there', (_: Scene) => {}],
    ['has no good version', (scene: Scene) => scene.spoil('p', 'peer')],
    ['is removed', (scene: Scene) => scene.remove(scene.force('p', table.peer('h')))],
  ])('is a route that serves nothing where its target %s', (_what, prepare) => {
    const scene = new Scene()
    prepare(scene)
    scene.send('r', table.route('/r', { peer: 'p' }))
    expect(scene.settle()).toEqual({ accepted: [], unavailable: ['r'], reasons: { r: 'DependencyRefused' } })
  })

  it('is no stand-in for a route that has a good version', () => {
    const scene = new Scene()
    scene.force('b', table.backend('b'))
    scene.force('r', table.route('/r', { backend: 'b' }))
    scene.send('r', table.route('/r', { backend: 'gone' }))
    expect(scene.settle()).toEqual({ accepted: [], unavailable: [], reasons: { r: 'DependencyRefused' } })
  })
})

describe('what only one can have', () => {
  it(`${requirement('RLY-007')} stays with who has it`, () => {
    const scene = new Scene()
    scene.force('b', table.backend('b'))
    scene.force('z', table.route('/x', { backend: 'b' }))
    scene.send('a', table.route('/x', { backend: 'b' }))
    expect(scene.settle()).toEqual({ accepted: [], unavailable: [], reasons: { a: 'PathTaken' } })
  })

  it('goes to the first by name where nobody has it', () => {
    const scene = new Scene()
    scene.send('b', table.backend('same'))
    scene.send('a', table.backend('same'))
    expect(scene.settle()).toEqual({ accepted: ['a'], unavailable: [], reasons: { b: 'NameTaken' } })
  })

  it('may be exchanged in one change', () => {
    const scene = new Scene()
    scene.force('a', table.peer('one'))
    scene.force('b', table.peer('two'))
    scene.send('a', table.peer('two'))
    scene.send('b', table.peer('one'))
    expect(scene.settle()).toMatchObject({ accepted: ['a', 'b'], reasons: {} })
  })

  it('is free when who has it goes', () => {
    const scene = new Scene()
    scene.remove(scene.force('a', table.peer()))
    scene.send('b', table.peer())
    expect(scene.settle()).toMatchObject({ accepted: ['b'], reasons: {} })
  })

  it('is not free where who has it cannot change as it was sent', () => {
    const scene = new Scene()
    scene.force('a', table.peer('one'))
    scene.force('c', table.peer('three'))
    scene.send('a', table.peer('three'))
    scene.send('b', table.peer('one'))
    expect(scene.settle()).toEqual({ accepted: [], unavailable: [], reasons: { a: 'HandleTaken', b: 'HandleTaken' } })
  })

  it(`${requirement('RLY-005')} keeps a path from others though its route serves nothing`, () => {
    const scene = new Scene()
    scene.force('b', table.backend('b'))
    scene.force('a', table.route('/x', { backend: 'gone' }), false)
    scene.send('c', table.route('/x', { backend: 'b' }))
    expect(scene.settle().reasons).toEqual({ c: 'PathTaken' })
  })
})
