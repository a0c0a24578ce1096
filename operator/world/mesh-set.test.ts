import { API_VERSION, type KindName } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../test/requirements/requirement.ts'
import { MeshSet } from './mesh-set.ts'
import { MeshView } from './mesh-view.ts'
import type { MeshObject } from './resource-types.ts'

const NAMESPACE = 'shop'
const RELAY_REFS = [{ name: 'edge' }]
const BACKEND = { relayRefs: RELAY_REFS, mcp: { url: 'http://tools:3000/mcp' } }
const ROUTE = { relayRefs: RELAY_REFS, path: '/tools', transparent: { target: { backendRef: { name: 'tools' } } } }

type Meta = Partial<MeshObject['metadata']>

/** The set, and what the watch has told of each object. */
class Stand {
  readonly #objects = new Map<string, MeshObject>()
  readonly set = new MeshSet({
    view: new MeshView(),
    world: { object: (kind, key) => this.#objects.get(`${kind} ${key}`) },
    installation: { name: 'system', namespace: 'system' },
  })
  #generation = 0

  write(kind: KindName, name: string, spec: object, meta: Meta = {}, status: MeshObject['status'] = {}): MeshObject {
    const key = `${kind} ${meta.namespace ?? NAMESPACE}/${name}`
    const metadata = {
      name,
      namespace: NAMESPACE,
      uid: `uid of ${name}`,
      resourceVersion: '1',
      generation: ++this.#generation,
      ...meta,
    }
    const object: MeshObject = { apiVersion: API_VERSION, kind, metadata, spec, status }
    const old = this.#objects.get(key)
    this.#objects.set(key, object)
    this.set.apply({ from: 'mesh', kind, object, ...(old === undefined ? {} : { old }) })
    return object
  }

  delete(kind: KindName, name: string): void {
    const key = `${kind} ${NAMESPACE}/${name}`
    const old = this.#objects.get(key)
    this.#objects.delete(key)
    if (old !== undefined) this.set.apply({ from: 'mesh', kind, old })
  }

  /** Who uses the backend `tools`. */
  get users(): readonly string[] {
    return this.set.usersInForce({ kind: 'MeshBackend', name: 'shop/tools' }).map(({ name }) => name)
  }
}

/** A relay, a backend and a route to it. */
function given(): Stand {
  const stand = new Stand()
  stand.write('MeshRelay', 'edge', { listeners: { mcp: { host: '0.0.0.0', port: 8080 } } })
  stand.write('MeshBackend', 'tools', BACKEND)
  stand.write('MeshRoute', 'tools', ROUTE)
  return stand
}

describe('who uses an object', () => {
  it(`${requirement('OPR-010')} is who names it, may, and is not itself going`, () => {
    const stand = given()
    expect(stand.users).toEqual(['shop/tools'])
    stand.write(
      'MeshRoute',
      'thief',
      { ...ROUTE, transparent: { target: { backendRef: TOOLS } } },
      { namespace: 'bank' },
    )
    expect(stand.users).toEqual(['shop/tools'])
    stand.write('MeshRoute', 'tools', ROUTE, { deletionTimestamp: '2026-12-01T00:00:00Z' })
    expect(stand.users).toEqual([])
  })

  it('is nobody of another installation', () => {
    const stand = given()
    stand.write('MeshRoute', 'tools', ROUTE, {}, { controller: 'another' })
    expect(stand.users).toEqual([])
  })
})

describe('what is stored and not valid', () => {
  const broken = { ...ROUTE, flavour: 'vanilla' }

  it(`${requirement('OPR-013')} counts on as it was when it was valid`, () => {
    const stand = given()
    const object = stand.write('MeshRoute', 'tools', { ...broken, path: '/other' })
    expect(stand.set.inForce('MeshRoute', object)?.spec.path).toBe('/tools')
    expect(stand.users).toEqual(['shop/tools'])
    // A second one of that path is still the second one.
    stand.write('MeshRoute', 'tools-2', ROUTE)
    expect(stand.set.index.findingsOf({ kind: 'MeshRoute', name: 'shop/tools-2' }).map(({ id }) => id)).toEqual([
      'PathTaken',
    ])
    const mended = stand.write('MeshRoute', 'tools', { ...ROUTE, path: '/other' })
    expect(stand.set.inForce('MeshRoute', mended)?.spec.path).toBe('/other')
    expect(stand.set.index.findingsOf({ kind: 'MeshRoute', name: 'shop/tools-2' })).toEqual([])
  })

  it('counts for nothing when it was never valid, or is another object of that name', () => {
    const stand = given()
    const other = stand.write('MeshRoute', 'tools', broken, { uid: 'another' })
    expect(stand.set.inForce('MeshRoute', other)).toBeUndefined()
    expect(stand.users).toEqual([])
    const first = stand.write('MeshRoute', 'first', broken)
    expect(stand.set.inForce('MeshRoute', first)).toBeUndefined()
    stand.delete('MeshRoute', 'tools')
    const again = stand.write('MeshRoute', 'tools', broken)
    expect(stand.set.inForce('MeshRoute', again)).toBeUndefined()
  })
})

describe('what selects by labels', () => {
  it('sees labels that were changed, which are no part of a generation', () => {
    const stand = new Stand()
    stand.write('MeshRelay', 'edge', {}, { generation: 1, labels: { team: 'a' } })
    stand.write('MeshRelay', 'edge', {}, { generation: 1, labels: { team: 'b' } })
    expect(stand.set.index.get('MeshRelay', 'shop/edge')?.metadata.labels).toEqual({ team: 'b' })
  })
})

const TOOLS = { name: 'tools', namespace: 'shop' }
