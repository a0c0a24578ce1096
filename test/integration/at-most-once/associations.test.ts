import { readdirSync, readlinkSync } from 'node:fs'
import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, inTime } from './in-time.ts'
import { numbersOf } from './metrics-of.ts'
import { RawCaller } from './raw-caller.ts'
import { type Stand, startStand } from './stand.ts'

const ASSOCIATIONS = 4

let stand: Stand
let modern: RawCaller

beforeAll(async () => {
  stand = await startStand({ peerSpec: { associations: ASSOCIATIONS } })
  modern = await RawCaller.connect('modern', stand.url)
})

afterAll(async () => {
  await modern?.close()
  await stand?.stop()
})

/** Calls make them grow, one at a time. */
async function allAssociations(): Promise<void> {
  for (let n = 0; (await openAssociations()) < ASSOCIATIONS; n++) {
    const key = `grow ${n}`
    await inTime(modern.run({ key }), key)
  }
}

const openAssociations = async () => (await numbersOf(stand.mesh.edge)).sum('causeway_associations_open')

/** A call that has run and waits for its answer, in a session of its own or in none. */
async function callInFlight(era: 'legacy' | 'modern', key: string) {
  const caller = await RawCaller.connect(era, stand.url)
  const ending = inTime(caller.run({ key, how: 'holdAnswer' }), key)
  await inTime(stand.backend.command('reached', key), key)
  return { era, key, caller, ending }
}

describe('several associations of which one is lost', () => {
  it(`${requirement('MCP-021')} its calls end as unknown and its sessions with it; those of the others go on`, async () => {
    await allAssociations()
    const calls = []
    for (const era of ['legacy', 'modern'] as const) {
      for (let n = 0; n < 2 * ASSOCIATIONS; n++) calls.push(await callInFlight(era, `${era} ${n}`))
    }
    stand.link.cutNewest()
    await eventually('edge knows', async () => {
      return (
        (await numbersOf(stand.mesh.edge)).by('causeway_exchanges_total', 'outcome', { side: 'edge' }).unknown === 4
      )
    })
    for (const { key } of calls) await stand.backend.command('release', key)
    const lost = []
    for (const { era, key, caller, ending } of calls) {
      const how = await ending
      expect(stand.ran(key), key).toBe(1)
      if (how.how !== 'answer') {
        expect(how).toMatchObject({ how: 'error', name: 'NotDelivered', delivery: 'unknown' })
        lost.push(era)
      }
      const next = await inTime(caller.run({ key: `${key}, next` }), key)
      const gone = era === 'legacy' && how.how !== 'answer'
      expect(next, key).toMatchObject(gone ? { status: 404, delivery: 'not_sent' } : { how: 'answer' })
      expect(stand.ran(`${key}, next`), key).toBe(gone ? 0 : 1)
      await caller.close()
    }
    // A quarter of them: calls take the shortest queue, and sessions stay where they were opened.
    expect(lost.toSorted()).toEqual(['legacy', 'legacy', 'modern', 'modern'])
    await stand.idle()
  })

  it('again and again: no connection is left behind on either side', async () => {
    await allAssociations()
    await stand.idle()
    const before = { edge: socketsOf(stand.mesh.edge.pid), tools: socketsOf(stand.mesh.tools.pid) }
    for (let round = 0; round < 8; round++) {
      stand.link.cutNewest()
      await eventually('one is lost', async () => (await openAssociations()) < ASSOCIATIONS)
      await allAssociations()
    }
    await stand.idle()
    await eventually('as many sockets as before', () => {
      const { edge, tools } = stand.mesh
      return socketsOf(edge.pid) <= before.edge && socketsOf(tools.pid) <= before.tools
    })
    expect(stand.link.connections).toBe(ASSOCIATIONS)
  })
})

function socketsOf(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return '' // Closed meanwhile.
    }
  })
  return links.filter((link) => link.startsWith('socket:')).length
}
