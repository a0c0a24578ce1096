import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Labels } from '../check/grants.ts'
import { idOf, keyOf, type ObjectId } from '../check/object-id.ts'
import { HANDLE, OTHER_HANDLE } from '../fixtures/written.ts'
import type { AnyResource } from '../kinds/all-kinds.ts'
import { API_VERSION, type KindName } from '../kinds/kind.ts'
import { validateObject } from '../validate/validate.ts'
import type { MeshChange } from './contract.ts'
import { MeshIndex } from './mesh-index.ts'

/** So few names, labels and values that objects meet: in references, grants, claims, policies. */
const NAMESPACES = ['a', 'b', 'system'] as const
const NAMES = ['one', 'two'] as const
const SPECS: Readonly<Partial<Record<KindName, fc.Arbitrary<object>>>> = {
  MeshRelay: fc.record({
    listeners: fc.constantFrom({ mcp: { port: 1 } }, { npamp: { port: 2 }, mcp: { port: 1 } }, {}),
    identity: fc.constantFrom({}, { keyFile: 'k.pem' }),
    limits: fc.constantFrom({}, { drain: '1s' }),
    allowedNamespaces: grants(),
  }),
  MeshPeer: fc
    .record({
      relayRefs: relayRefs(),
      identity: fc.constantFrom({ handles: [HANDLE] }, { handles: [OTHER_HANDLE, HANDLE] }, {}),
      other: fc.constantFrom('from', 'anchor'),
      ref: reference(),
      dial: fc.constantFrom({ dial: 'never' }, { addresses: ['npamp://h:1'] }),
      defaultBackend: fc.option(reference(), { nil: undefined }),
      assumedProtocols: fc.constantFrom(undefined, ['mcp']),
      allowedNamespaces: grants(),
    })
    .map(({ dial, other, ref, defaultBackend, assumedProtocols, ...spec }) => ({
      ...spec,
      ...dial,
      ...(Object.keys(spec.identity).length > 0
        ? {}
        : other === 'from'
          ? { identityFrom: { relayRef: ref } }
          : { trustAnchorRef: ref }),
      ...(defaultBackend === undefined ? {} : { defaultBackend, assumedProtocols }),
    })),
  MeshBackend: fc.record({
    relayRefs: relayRefs(),
    meshName: fc.constantFrom(undefined, 'one', 'shared'),
    mcp: fc.constant({ url: 'http://127.0.0.1:1/mcp' }),
    peers: fc.uniqueArray(reference(), { maxLength: 2, selector: (one) => JSON.stringify(one) }),
    allowedNamespaces: grants(),
  }),
  MeshRoute: fc.record({
    relayRefs: relayRefs(),
    path: fc.constantFrom('/x', '/y'),
    transparent: fc.oneof(
      reference().map((backendRef) => ({ target: { backendRef } })),
      reference().map((peer) => ({ target: { peer: { ...peer, target: 'one' } } })),
    ),
  }),
  TrustAnchor: fc.record({
    uses: fc.constantFrom(['peers'], ['cards']),
    handles: fc.constantFrom([HANDLE], [OTHER_HANDLE]),
    allowedNamespaces: grants(),
  }),
  SafetyPolicy: fc.constantFrom(
    {},
    { defaultAction: 'allow' },
    { selector: { matchLabels: { team: 'x' } } },
    { targetRefs: [{ kind: 'MeshRoute', name: 'one' }] },
  ),
  DiscoveryRecord: fc.record({
    relayRefs: relayRefs(),
    tool: fc.constant({ name: 't', protocolId: 1 }),
    peers: fc.uniqueArray(reference(), { maxLength: 1 }),
  }),
}

function reference(): fc.Arbitrary<{ name: string; namespace?: string }> {
  return fc.oneof(
    fc.record({ name: fc.constantFrom(...NAMES) }),
    fc.record({ name: fc.constantFrom(...NAMES), namespace: fc.constantFrom(...NAMESPACES) }),
  )
}

function relayRefs() {
  return fc.uniqueArray(reference(), { minLength: 1, maxLength: 2, selector: (one) => JSON.stringify(one) })
}

function grants() {
  return fc.constantFrom(
    {},
    { from: 'All' },
    { from: 'Selector', selector: { matchLabels: { team: 'x' } } },
    { from: 'Selector', selector: { matchLabels: { 'kubernetes.io/metadata.name': 'b' } } },
  )
}

const kinds = Object.keys(SPECS) as KindName[]

const ids: fc.Arbitrary<ObjectId> = fc.record({
  kind: fc.constantFrom(...kinds),
  name: fc
    .tuple(fc.constantFrom(...NAMESPACES), fc.constantFrom(...NAMES))
    .map(([namespace, name]) => `${namespace}/${name}`),
})

const objects: fc.Arbitrary<AnyResource> = fc.constantFrom(...kinds).chain((kind) =>
  fc
    .record({
      name: fc.constantFrom(...NAMES),
      namespace: fc.constantFrom(...NAMESPACES),
      labels: fc.constantFrom({}, { team: 'x' }),
      spec: SPECS[kind] ?? fc.constant({}),
    })
    .map(({ spec, ...metadata }) => {
      const validated = validateObject(kind, { apiVersion: API_VERSION, kind, metadata, spec })
      if ('faults' in validated) throw new Error(JSON.stringify(validated.faults))
      return validated.resource
    }),
)

const byKey = (object: AnyResource) => keyOf(idOf(object))

const changes: fc.Arbitrary<MeshChange> = fc.record(
  {
    upserts: fc.uniqueArray(objects, { maxLength: 3, selector: byKey }),
    removals: fc.array(ids, { maxLength: 2 }),
    declared: fc.array(ids, { maxLength: 1 }),
    namespaces: fc.record({
      upserts: fc.array(
        fc.record({
          name: fc.constantFrom(...NAMESPACES),
          labels: fc.constantFrom<Labels>({}, { team: 'x' }, { team: 'y' }),
        }),
        { maxLength: 1 },
      ),
      removals: fc.array(fc.constantFrom(...NAMESPACES), { maxLength: 1 }),
    }),
  },
  { requiredKeys: [] },
)

const start = fc.uniqueArray(objects, { minLength: 6, maxLength: 40, selector: byKey })

it.each(['files', 'cluster'] as const)(
  'after any changes, in %s, it is as if the set had been read at once',
  (place) => {
    const options = { place, installationNamespace: 'system' }
    fc.assert(
      fc.property(start, fc.array(changes, { minLength: 1, maxLength: 12 }), (upserts, sequence) => {
        const world = new World()
        const index = new MeshIndex(options)
        for (const change of [{ upserts }, ...sequence]) {
          const before = snapshot(index)
          const effect = index.apply(change)
          world.apply(change)
          const after = snapshot(index)
          const fresh = new MeshIndex(options)
          fresh.apply(world.asChange())
          expect(after, 'as read at once').toEqual(snapshot(fresh))

          const verdicts = changed(before.findings, after.findings)
          expect(new Set(effect.verdicts.map(keyOf)), 'whose verdict is another').toEqual(new Set(verdicts))
          for (const relay of new Set([...Object.keys(before.closures), ...Object.keys(after.closures)])) {
            const told = new Set((effect.closures.get(relay) ?? []).map(keyOf))
            const moved = changed(before.closures[relay] ?? {}, after.closures[relay] ?? {})
            expect(
              moved.filter((key) => !told.has(key)),
              `what changed for ${relay}`,
            ).toEqual([])
          }
          for (const relay of effect.closures.keys()) {
            expect(before.closures[relay] ?? after.closures[relay], `${relay} was or is there`).toBeDefined()
          }
        }
      }),
      { numRuns: 150 },
    )
  },
  120_000,
)

/** All that an index says. */
function snapshot(index: MeshIndex) {
  const all = index.all()
  const findings = Object.fromEntries(
    all.map((object) => [
      byKey(object),
      index.findingsOf(idOf(object)).map(({ id, fieldPath, message }) => ({ id, fieldPath, message })),
    ]),
  )
  const relays = all.filter((object) => object.kind === 'MeshRelay')
  const closures = Object.fromEntries(
    relays.map(({ metadata }) => {
      const name = `${metadata.namespace}/${metadata.name}`
      const closure = index.closureOf(name)
      const members = closure === undefined ? [] : Object.values(closure).flat()
      return [name, Object.fromEntries(members.map((one) => [byKey(one), { one, findings: findings[byKey(one)] }]))]
    }),
  )
  const users = Object.fromEntries(all.map((object) => [byKey(object), index.usersOf(idOf(object))]))
  const bound = Object.fromEntries(all.map((object) => [byKey(object), index.relaysOf(idOf(object))]))
  return { findings, closures, users, bound }
}

function changed(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].filter((key) => JSON.stringify(before[key] ?? []) !== JSON.stringify(after[key] ?? []))
}

/** The set, kept in the plainest way. */
class World {
  readonly #objects = new Map<string, AnyResource>()
  readonly #declared = new Map<string, ObjectId>()
  readonly #labels = new Map<string, Readonly<Record<string, string>>>()

  apply({ upserts = [], removals = [], declared = [], namespaces }: MeshChange): void {
    for (const { name, labels } of namespaces?.upserts ?? []) this.#labels.set(name, labels)
    for (const name of namespaces?.removals ?? []) this.#labels.delete(name)
    for (const id of removals) {
      this.#objects.delete(keyOf(id))
      this.#declared.delete(keyOf(id))
    }
    for (const id of declared) {
      this.#objects.delete(keyOf(id))
      this.#declared.set(keyOf(id), id)
    }
    for (const object of upserts) {
      this.#objects.set(byKey(object), object)
      this.#declared.delete(byKey(object))
    }
  }

  asChange(): MeshChange {
    return {
      upserts: [...this.#objects.values()],
      declared: [...this.#declared.values()],
      namespaces: { upserts: [...this.#labels].map(([name, labels]) => ({ name, labels })) },
    }
  }
}
