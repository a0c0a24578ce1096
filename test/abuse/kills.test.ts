import { describe, expect, it } from 'vitest'
import type { Answer, OpenAnswer } from '../fixtures/edge/http-client.ts'
import { eventually, inTime } from '../integration/at-most-once/in-time.ts'
import { LANE_TIMEOUT, Lane } from '../integration/at-most-once/lane.ts'
import { modernCall } from '../integration/clients.ts'
import { answerText, causewayOf, LegacyClient, textsOf, toolCall } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import type { Stage } from './staged-server.ts'
import { StagedStand, type Victim } from './staged-stand.ts'

const VICTIMS: readonly Victim[] = ['edge', 'tools', 'server']

/** Where a streamed call stands when somebody dies, and how much of it the client has seen by then. */
const STAGES: readonly (readonly [name: string, stage: Stage, seen: number])[] = [
  ['accepted', 'accepted', 0],
  ['after its first progress event', 'progress', 1],
  ['between its progress and its answer', 'answer', 2],
  ['while a request of the server waits for its answer', 'asked', 2],
]

/** Liveness would need 15 s to find out; all of these are told at once. */
const QUICK_MS = 6_000

interface Streamed {
  readonly key: string
  /** What the client sees in the end; 'broken' where its connection broke. */
  readonly end: Promise<Answer | 'broken'>
}

/** Starts one call and waits until the client has seen `seen` messages of it and the server stands at the stage. */
async function bringTo(stand: StagedStand, open: Promise<OpenAnswer>, key: string, seen: number): Promise<Streamed> {
  const end = open.then((answer) => answer.whole()).catch((): 'broken' => 'broken')
  await stand.server.command('reached', key)
  // The head of a stream comes with its first event.
  if (seen > 0) await (await open).text((text) => textsOf(text).length >= seen)
  return { key, end }
}

let keys = 0

function callsAt(stand: StagedStand, client: LegacyClient, stage: Stage, seen: number): Promise<Streamed>[] {
  const call = (era: string, ids: boolean) => {
    const key = `${era} ${stage} ${++keys}`
    const id = String(keys)
    const args = JSON.stringify({ key, stage, ids })
    if (era === 'legacy') return bringTo(stand, client.open(toolCall(id, 'run', args)), key, seen)
    const { body, headers } = modernCall('run', JSON.parse(args), { raw: id })
    return bringTo(stand, client.http.open(body, headers, client.path), key, seen)
  }
  const legacy = [call('legacy', false)]
  // Only one question may be open under id 1, and a modern server asks nothing.
  return stage === 'asked' ? legacy : [...legacy, call('legacy', true), call('modern', false)]
}

function expectTypedEnd(victim: Victim, end: Answer | 'broken'): void {
  if (victim === 'edge') {
    expect(end).toBe('broken')
    return
  }
  if (end === 'broken') throw new Error('the connection to a living edge broke')
  expect(end.status).toBe(200)
  expect(causewayOf(answerText(end))).toMatchObject({ code: 'NotDelivered', delivery: 'unknown' })
}

describe.concurrent('kill -9', LANE_TIMEOUT, () => {
  for (const victim of VICTIMS) {
    const lane = new Lane(
      () => StagedStand.start(),
      (stand) => stand.stop(),
    )
    for (const [name, stage, seen] of STAGES) {
      it(
        `of ${victim}, a streamed call being ${name}: a quick, typed end, 404 in the session, one execution`,
        lane.test(async (stand) => {
          const client = await LegacyClient.connect(stand.url)
          const bystander = await LegacyClient.connect(stand.url)
          const listening = await bystander.listen()
          const calls = await inTime(Promise.all(callsAt(stand, client, stage, seen)), 'all stand at their stage')
          await stand.kill(victim)
          for (const { end, key } of calls) expectTypedEnd(victim, await inTime(end, `the end of ${key}`, QUICK_MS))

          // A client that only listens finds out as well, where its session is known to be lost.
          if (victim !== 'server')
            await inTime(
              listening.whole().catch(() => {}),
              'the end of a stream',
              QUICK_MS,
            )

          await stand.restart(victim)
          // An answer to the question that died belongs to nobody, and least of all to another session.
          if (stage === 'asked') await client.post(resultOf('1', '"late"'))
          for (const lost of [client, bystander]) {
            const answer = await inTime(
              lost.call('"after"', 'run', '{"key":"never","stage":"none"}'),
              'the answer of a lost session',
              QUICK_MS,
            )
            expect([answer.status, causewayOf(answer.body)]).toMatchObject([404, { code: 'SessionLost' }])
            expect((await lost.listen()).status).toBe(404)
          }
          expect(stand.ran('never')).toBe(0)

          await client.initialize()
          const key = `next ${++keys}`
          const next = await client.call('1', 'run', JSON.stringify({ key, stage: 'none', ids: false }))
          expect(JSON.parse(answerText(next)).result).toEqual({ ran: key })
          expect(calls.map((call) => stand.ran(call.key))).toEqual(calls.map(() => 1))
          await client.end()
          // Nothing of the sessions that died is left at the server, where anybody lives who knew of them.
          if (victim !== 'tools') {
            await eventually('all sessions ended', async () => (await stand.server.command('sessions')) === 0)
          }
          client.close()
          bystander.close()
        }),
      )
    }

    it(
      `of ${victim}, before a call is sent: not sent, never run, and it works again once that is back`,
      lane.test(async (stand) => {
        const client = await LegacyClient.connect(stand.url)
        await stand.kill(victim)
        const args = (key: string) => JSON.stringify({ key, stage: 'none', ids: false })
        const dead = inTime(client.call('1', 'run', args('dead')), 'the end of a call to nobody', QUICK_MS)
        if (victim === 'edge') await expect(dead).rejects.toThrow(/ECONN|socket hang up/)
        else {
          const answer = await dead
          const text = answerText(answer)
          // The session died with relay tools, whether or not the edge knew it yet; a server that is away may come back.
          const delivery = victim === 'tools' && answer.status === 200 ? 'unknown' : 'not_sent'
          expect(causewayOf(text)).toMatchObject({ delivery })
        }
        await stand.restart(victim)
        expect((await client.call('2', 'run', args('dead'))).status).toBe(404)
        await client.initialize()
        const key = `alive ${++keys}`
        expect((await client.call('1', 'run', args(key))).text).toContain(key)
        expect(stand.ran('dead')).toBe(0)
        await client.end()
        client.close()
      }),
    )
  }
})
