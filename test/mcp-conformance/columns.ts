import { startTwoRelays } from '../fixtures/mesh/two-relays.ts'
import { startFixture } from '../fixtures/process/fixture.ts'
import { isExcluded } from './excluded.ts'
import { outcomesOf } from './outcome.ts'
import type { Row } from './row.ts'
import { checkClient, checkServer, type Revision, scenariosOf } from './suite.ts'

const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28']
const FIXTURE = new URL('../fixtures/mcp-server/server.ts', import.meta.url)
const CLIENT = 'node test/mcp-conformance/client.ts'

/** The suite's client against the fixture server: at its own URL, and at the route of relay `edge` that leads to it. */
export async function serverRows(): Promise<Row[]> {
  const fixture = await startFixture<{ url: string }>(FIXTURE)
  try {
    const relays = await startTwoRelays({ backends: { conformance: fixture.info.url } })
    try {
      const rows: Row[] = []
      for (const revision of REVISIONS) {
        const direct = await checkServer(fixture.info.url, revision)
        const mesh = await checkServer(relays.endpoint('conformance'), revision)
        for (const scenario of scenariosOf(revision, 'server')) {
          const outcomes = (checks: typeof direct) => outcomesOf(checks.get(scenario) ?? [])
          rows.push({ leg: 'server', revision, scenario, direct: outcomes(direct), mesh: outcomes(mesh) })
        }
      }
      return rows
    } finally {
      await relays.stop()
    }
  } finally {
    await fixture.stop()
  }
}

/** The published client against the suite's server: at its own URL, and through two relays that the client program starts. */
export async function clientRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const revision of REVISIONS) {
    for (const scenario of scenariosOf(revision, 'client').filter((one) => !isExcluded(one))) {
      const [direct, mesh] = await Promise.all([
        checkClient(CLIENT, revision, scenario),
        checkClient(`${CLIENT} --mesh`, revision, scenario),
      ])
      rows.push({ leg: 'client', revision, scenario, direct: outcomesOf(direct), mesh: outcomesOf(mesh) })
    }
  }
  return rows
}
