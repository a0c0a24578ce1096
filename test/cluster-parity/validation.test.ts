import { KIND_NAMES, KINDS } from '@causeway/mesh-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BROKEN } from '../../services/mesh-api/fixtures/broken/all.ts'
import { boundRows } from '../../services/mesh-api/fixtures/rows/bounds.ts'
import { randomOf } from '../../services/mesh-api/fixtures/rows/random.ts'
import { randomRows } from '../../services/mesh-api/fixtures/rows/random-rows.ts'
import type { Row } from '../../services/mesh-api/fixtures/rows/row.ts'
import { aRelay } from '../../services/mesh-api/fixtures/written.ts'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { differenceOf } from './compare.ts'
import { DryRuns } from './dry-runs.ts'

/** Connections at once: what keeps an API server on two cores busy. */
const CONNECTIONS = 16
const RANDOM_OBJECTS = 5_000
const SEED = 20_261_201

/** Both sides of what an API server says of names, labels and annotations. */
const METADATA: readonly object[] = [
  { name: 'a'.repeat(253) },
  { name: 'a'.repeat(254) },
  { name: 'Edge' },
  { name: '-edge' },
  { name: 'edge.one' },
  { labels: { tier: '', 'example.com/tier': 'a'.repeat(63) } },
  { labels: { tier: 'a'.repeat(64) } },
  { labels: { tier: 'two words' } },
  { labels: { 'two words': 'a' } },
  { labels: { ['a'.repeat(63)]: 'a', [`${'a'.repeat(253)}/a`]: 'a' } },
  { labels: { ['a'.repeat(64)]: 'a' } },
  { labels: { [`${'a'.repeat(254)}/a`]: 'a' } },
  { labels: { 'a/b/c': 'a' } },
  { labels: { '/a': 'a' } },
  { labels: { 'Example.com/a': 'a' } },
  { annotations: { note: 'é'.repeat(131_070) } },
  { annotations: { note: 'é'.repeat(131_071) } },
  { annotations: { note: 'a'.repeat(262_145) } },
  { annotations: { 'two words': 'a' } },
]

const LIMIT_MS = 240_000

/** CONTROL section 1: same verdict and field path for every object, same text for the rules in CEL. */
describe('our validator and an API server', () => {
  const cluster = useApiCluster()
  let dryRuns: DryRuns

  beforeAll(async () => {
    await cluster().applyCrds()
    dryRuns = new DryRuns(cluster().kubeconfigText, CONNECTIONS)
  })

  afterAll(() => dryRuns?.close())

  it.each(KIND_NAMES)(
    'agree about %s on both sides of every bound, and about every rule',
    async (kind) => {
      const rules = Object.entries(BROKEN[kind]).flatMap(([id, rows]) =>
        rows.map(([object], index): Row => ({ kind, name: `${kind} ${id} ${index}`, object })),
      )
      expect(await differences([...rules, ...boundRows(kind, randomOf(SEED))])).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    `agree about ${RANDOM_OBJECTS} random objects`,
    async () => {
      const rows = randomRows(RANDOM_OBJECTS, SEED)
      expect(await differences(rows)).toEqual([])
    },
    LIMIT_MS,
  )

  it('agree about metadata', async () => {
    const rows = METADATA.map((metadata): Row => {
      const object = { ...aRelay(), metadata: { name: 'edge', ...metadata } }
      return { kind: 'MeshRelay', name: JSON.stringify(metadata).slice(0, 80), object }
    })
    expect(await differences(rows)).toEqual([])
  })

  it('every kind is served, by its short name and with its category', async () => {
    const table = await cluster().kubectl(
      'api-resources',
      '--api-group=mesh.causeway.dev',
      '--categories=causeway',
      '-o',
      'wide',
    )
    for (const kind of KIND_NAMES) {
      expect(table).toMatch(new RegExp(`^${KINDS[kind].plural} +${KINDS[kind].shortName} .*\\btrue +${kind} `, 'm'))
    }
  })

  async function differences(rows: readonly Row[]): Promise<string[]> {
    const found: string[] = []
    const left = rows.values()
    const worker = async () => {
      for (const row of left) {
        const difference = differenceOf(row, await dryRuns.create(row.kind, row.object))
        if (difference !== undefined) found.push(difference)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, worker))
    return found.slice(0, 50)
  }
})
