import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backend, delta, positions, removedRoute, route } from '../../../test/fixtures/control/deltas.ts'
import { LiveDouble } from '../../../test/fixtures/control/live-double.ts'
import { type DiskStep, MemoryFolder, written } from '../../../test/fixtures/control/memory-folder.ts'
import { collectingLogger } from '../../../test/fixtures/control/quiet-logger.ts'
import { ConfigStore } from './config-store.ts'

/** One Delta: which of few routes it changes to which of few paths, which it removes, whether a backend changes too. */
interface Turn {
  readonly changes: readonly { readonly name: string; readonly path: string }[]
  readonly removals: readonly string[]
  readonly backend: string | undefined
}

const NAMES = ['default/a', 'default/b', 'default/c', 'default/d']
/** Of these, `/bad` is refused. */
const PATHS = ['/one', '/two', '/bad', '/three'.repeat(20)]

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    changes: fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), path: fc.constantFrom(...PATHS) }), {
      selector: ({ name }) => name,
    }),
    removals: fc.subarray(NAMES),
    backend: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 8 },
)

const live = () => new LiveDouble(({ message }) => 'path' in message && message.path === '/bad')

async function open(folder: MemoryFolder) {
  const { logger } = collectingLogger()
  const double = live()
  const store = await ConfigStore.open({ folder, live: double, logger, compactAfterOctets: 600 })
  await store.start()
  return { store, double }
}

/** What a store has, and what of it is in force. */
function stateOf({ store, double }: Awaited<ReturnType<typeof open>>): string {
  const { held, positions } = store.hello()
  const sent = held.map(({ kind, name, version }) => `${kind} ${name} ${Buffer.from(version).toString('hex')}`).sort()
  const at = positions.map(({ kind, position }) => `${kind} ${position?.value}`).sort()
  return JSON.stringify({ sent, at, inForce: [...double.inForce].sort() })
}

/** What a turn does to what is held: it removes only what is there, and not what it changes. */
function deltaOf(turn: Turn, value: number, store: ConfigStore) {
  const held = new Set(store.hello().held.map(({ name }) => name))
  const changed = new Set(turn.changes.map(({ name }) => name))
  return delta({
    upserts: [
      ...turn.changes.map(({ name, path }) => route(name, path)),
      ...(turn.backend === undefined ? [] : [backend('default/server', turn.backend)]),
    ],
    removals: turn.removals.filter((name) => held.has(name) && !changed.has(name)).map(removedRoute),
    positions: positions(BigInt(value)),
  })
}

/** Every way in which a disk may look after a crash in this step. */
function* crashes(step: DiskStep): Iterable<ReadonlyMap<string, Buffer>> {
  yield step.before
  if (step.kind === 'truncate') return
  if (step.kind === 'replace') {
    // Beside its place first: whole, or not there.
    yield new Map(step.before).set(step.name, step.content)
    return
  }
  const { before, name, octets, offset } = step
  for (let count = 1; count <= octets.length; count++) {
    yield new Map(before).set(name, written(before.get(name), octets.subarray(0, count), offset))
  }
}

it('a crash at any octet of any write leaves what was acknowledged last, or what was being acknowledged', async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (sequence) => {
      const folder = new MemoryFolder()
      const opened = await open(folder)
      let last = stateOf(opened)
      /** For every step, what may be found after a crash in it. */
      const allowed: (readonly string[])[] = folder.steps.map(() => [last])
      const since = (states: readonly string[]): void => {
        while (allowed.length < folder.steps.length) allowed.push(states)
      }
      for (const [index, turn] of sequence.entries()) {
        await opened.store.take(deltaOf(turn, index + 1, opened.store))
        const next = stateOf(opened)
        since([last, next])
        last = next
        // What is compacted after an answer is done before the next one.
        await opened.store.contact(index)
        since([last])
      }
      for (const [index, step] of folder.steps.entries()) {
        const states = allowed[index] ?? []
        for (const files of crashes(step)) {
          const after = await open(new MemoryFolder(files))
          expect(after.store.damage).toBeUndefined()
          const state = stateOf(after)
          if (!states.includes(state)) expect([state]).toEqual(states)
        }
      }
    }),
    { numRuns: 5 },
  )
}, 60_000)
