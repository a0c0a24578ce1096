import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { RelayProcess } from '../../fixtures/mesh/relay-process.ts'
import { callersOf } from '../at-most-once/callers.ts'
import { eventually, inTime } from '../at-most-once/in-time.ts'
import { numbersOf } from '../at-most-once/metrics-of.ts'
import { RawCaller } from '../at-most-once/raw-caller.ts'
import { BRIDGE, CONTROL, ENC, type WireFrame } from './frames.ts'
import { type MeshWithTap, startMeshWithTap, type TapMode } from './mesh-with-tap.ts'
import { piecesIn } from './pieces.ts'

/** Runs when the test is over. */
type CleanUp = (end: () => Promise<void>) => void

async function meshWithTap(mode: TapMode, onTestFinished: CleanUp): Promise<MeshWithTap> {
  const started = await startMeshWithTap(mode)
  onTestFinished(() => started.stop())
  return started
}

/** Both generations of clients, and both eras by hand, call; answers are small and large, and errors of both kinds. */
async function converse(url: string, onTestFinished: CleanUp): Promise<(string | Buffer)[]> {
  const callers = await callersOf(url)
  onTestFinished(async () => {
    for (const caller of callers) await caller.close()
  })
  for (const caller of callers) {
    for (const args of [
      {},
      { octets: 50_000, ballast: 'ballast of this call '.repeat(1_000) },
      { how: 'stream' },
    ] as const) {
      const key = `secret of ${caller.name} ${Object.keys(args).join()}`
      expect((await inTime(caller.run({ ...args, key }), key)).how).toBe('answer')
    }
    const broken = `broken secret of ${caller.name}`
    expect(await inTime(caller.run({ key: broken, how: 'rubbish' }), broken)).toMatchObject({ delivery: 'unknown' })
  }
  const methods = ['initialize', 'tools/list', 'tools/call', 'server/discover', 'notifications/initialized']
  return [...methods, 'secret of ', ...callers.flatMap((caller) => (caller instanceof RawCaller ? caller.bodies : []))]
}

interface Traffic {
  readonly frames: number
  readonly octets: number
}

const sizeOf = (frames: readonly WireFrame[]): Traffic => ({
  frames: frames.length,
  octets: frames.reduce((sum, { octets }) => sum + octets.length, 0),
})

async function trafficOf(relay: RelayProcess, way: 'sent' | 'received'): Promise<Traffic> {
  const numbers = await numbersOf(relay)
  return {
    frames: numbers.sum(`causeway_frames_${way}_total`),
    octets: numbers.sum(`causeway_octets_${way}_total`),
  }
}

/** Nothing is on its way any more, and everybody has counted the same. */
async function expectSameCounts({ mesh, tap }: MeshWithTap): Promise<void> {
  for (const [way, sender, receiver] of [
    ['toTools', mesh.edge, mesh.tools],
    ['toEdge', mesh.tools, mesh.edge],
  ] as const) {
    await eventually('all frames have arrived', async () => {
      return (await trafficOf(receiver, 'received')).frames >= tap.frames[way].length
    })
    expect(await trafficOf(sender, 'sent'), `${way}, sent`).toEqual(sizeOf(tap.frames[way]))
    expect(await trafficOf(receiver, 'received'), `${way}, received`).toEqual(sizeOf(tap.frames[way]))
  }
}

describe.concurrent('a tap that has opened the outer TLS', { timeout: 60_000 }, () => {
  for (const mode of ['pinned', 'ca'] as const) {
    it(`${requirement('HS-001')} ${requirement('HS-002')} ${requirement('WIRE-007')} ${requirement('REC-005')} (${mode}) sees frame headers, as many as the relays count, and nothing of what they carry`, async ({
      onTestFinished,
    }) => {
      const tapped = await meshWithTap(mode, onTestFinished)
      const { tap, url } = tapped
      const texts = await converse(url, onTestFinished)
      await expectSameCounts(tapped)

      for (const [way, hello, auth] of [
        ['toTools', 0x0100, 0x0103],
        ['toEdge', 0x0101, 0x0102],
      ] as const) {
        const [first, second, ...sealed] = tap.frames[way]
        expect(first).toMatchObject({ type: hello, channel: CONTROL, sequence: 0n, flags: 0 })
        expect(second).toMatchObject({ type: auth, channel: CONTROL, sequence: 0n, flags: ENC })
        expect(sealed.map(({ flags }) => flags)).toEqual(sealed.map(() => ENC))
        for (const channel of [CONTROL, BRIDGE]) {
          const ofChannel = sealed.filter((frame) => frame.channel === channel)
          expect(ofChannel.length).toBeGreaterThan(0)
          expect(ofChannel.map(({ sequence }) => sequence)).toEqual(ofChannel.map((_, at) => BigInt(at)))
        }
        expect(sealed.filter(({ channel }) => channel !== CONTROL && channel !== BRIDGE)).toEqual([])
      }

      expect(piecesIn(tap.octets, texts)).toEqual([])
      // And it would have found them.
      const leak = Buffer.from('{"jsonrpc":"2.0","method":"tools/call"}')
      expect(piecesIn(Buffer.concat([tap.octets, leak]), texts)).toContain('"method"')
    })
  }

  it('of another authority: is told nothing at all, and calls are not sent', async ({ onTestFinished }) => {
    const { tap, url, mesh } = await meshWithTap('foreign ca', onTestFinished)
    const caller = await RawCaller.connect('modern', url)
    onTestFinished(() => caller.close())
    const ending = await inTime(caller.run({ key: 'key' }), 'key')
    expect(ending).toMatchObject({ how: 'error', name: 'NotDelivered', delivery: 'not_sent' })
    expect(tap.octets.length).toBe(0)
    expect((await numbersOf(mesh.edge)).by('causeway_dials_total', 'result')).toEqual({ identity_refused: 1 })
  })

  it('sees greetings at most, and every call fails unsent, while relay tools is stopped', async ({
    onTestFinished,
  }) => {
    const { mesh, tap, url, ran } = await meshWithTap('pinned', onTestFinished)
    const callers = await callersOf(url)
    onTestFinished(async () => {
      for (const caller of callers) await caller.close()
    })
    expect(await mesh.tools.stop()).toBe(0)
    const seen = { toTools: tap.frames.toTools.length, toEdge: tap.frames.toEdge.length }
    for (const caller of callers) {
      const key = `never, ${caller.name}`
      const ending = await inTime(caller.run({ key }), key)
      expect(ending, caller.name).toMatchObject({
        how: 'error',
        code: -33110,
        name: caller.era === 'legacy' ? 'SessionLost' : 'NotDelivered',
        delivery: 'not_sent',
      })
      expect(ran(key)).toBe(0)
    }
    // Greetings of relay `edge`, which nobody answers.
    const greetings = tap.frames.toTools.slice(seen.toTools)
    expect(greetings.map(({ type, channel }) => [type, channel])).toEqual(greetings.map(() => [0x0100, CONTROL]))
    expect(tap.frames.toEdge.length).toBe(seen.toEdge)
  })
})
