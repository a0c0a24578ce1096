import { describe, expect, it } from 'vitest'
import { fixture } from '../clean-up.ts'
import { NORTH, SOUTH } from './allowed.ts'
import { legacySession, modernCalls } from './clients.ts'
import { compare } from './compare.ts'
import { runDirect, runThroughMesh } from './recorded-run.ts'
import { viewsOf } from './view.ts'

const NOTHING = { unexpected: [], unused: [] }

describe.each([
  ['legacy', 'servers/everything.ts', legacySession],
  ['modern', 'servers/modern.ts', modernCalls],
] as const)('HTTP on both sides of the mesh, %s era', (era, script, client) => {
  it('is what it is without a mesh, but for the differences that are listed', async () => {
    const { info } = await fixture(script)
    const direct = await runDirect(info.url, client)
    const mesh = await runThroughMesh(info.url, client)
    expect(compare(viewsOf(direct.north), viewsOf(mesh.north), NORTH[era])).toEqual(NOTHING)
    expect(compare(viewsOf(direct.south), viewsOf(mesh.south), SOUTH[era])).toEqual(NOTHING)
  })
})
