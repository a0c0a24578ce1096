import { OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScriptedCall } from '../../../test/fixtures/edge/scripted-target.ts'
import { callRequest, clientNotification, modernRequest } from '../../../test/fixtures/mesh/calls.ts'
import {
  MemoryNetwork,
  type MemoryRelay,
  newIdentity,
  peerConfig,
  ScriptedBackend,
  startMemoryRelay,
} from '../../../test/fixtures/mesh/memory-mesh.ts'
import {
  AskableSink,
  type AskedClient,
  RecordingAnswer,
  type RecordingClient,
  serverRequest,
  sessionWithClient,
} from '../../../test/fixtures/mesh/server-requests.ts'
import type { CallHandle, CallTarget, ServerRequestHandle, Session, SessionClient } from '../exchanges/contract.ts'

/** The id of every request of everybody. */
const ID = '1'
const SESSIONS = 6

/** Two relays whose clients call each other's servers, over the same associations. */
function bothWays() {
  const network = new MemoryNetwork()
  const identities = { a: newIdentity('a'), b: newIdentity('b') }
  const backends = { a: new ScriptedBackend(), b: new ScriptedBackend() }
  const relayOf = (name: 'a' | 'b', other: 'a' | 'b') =>
    startMemoryRelay({
      network,
      host: name,
      identity: identities[name],
      peers: [peerConfig(other, identities[other].handle, name === 'a' ? {} : { dial: 'never', addresses: [] })],
      // Equal names: nothing but session and direction tells the two sides apart.
      backends: { same: { backend: backends[name], peers: [other] } },
    })
  const relays = { a: relayOf('a', 'b'), b: relayOf('b', 'a') }
  const sides: Side[] = [
    { relay: relays.a, target: relays.a.mesh.target('b', 'same') as CallTarget, backend: backends.b },
    { relay: relays.b, target: relays.b.mesh.target('a', 'same') as CallTarget, backend: backends.a },
  ]
  return { network, sides }
}

/** Clients at one relay, and the server that they talk to behind the other. */
interface Side {
  readonly relay: MemoryRelay
  readonly target: CallTarget
  readonly backend: ScriptedBackend
}

/** One conversation: a session, or a place for modern exchanges. */
interface Conversation {
  readonly side: Side
  readonly session: (Session & { readonly client: RecordingClient }) | undefined
  readonly server: SessionClient | undefined
  call: OpenCall | undefined
  asked: OpenAsk | undefined
  readonly said: string[]
  /** Calls that the client cancelled in its own words. */
  cancels: number
}

interface OpenCall {
  readonly tag: string
  readonly sink: AskableSink
  readonly handle: CallHandle
  cancelled: boolean
  /** By its server. */
  answered: boolean
  readonly saidOnIt: string[]
}

interface OpenAsk {
  readonly tag: string
  readonly answer: RecordingAnswer
  readonly handle: ServerRequestHandle
  /** Whoever hears it: the session's client, or the caller of the call. */
  readonly hearer: RecordingClient
  cancelled: boolean
}

/** Walks both relays through random steps, each of which anybody may take at that time. */
class World {
  readonly network: MemoryNetwork
  readonly sides: readonly Side[]
  readonly conversations: Conversation[] = []
  readonly checks: (() => void)[] = []
  answered = 0
  #tags = 0

  constructor() {
    const { network, sides } = bothWays()
    this.network = network
    this.sides = sides
  }

  async open(): Promise<void> {
    for (const side of this.sides) {
      side.backend.script = (call) => call.result()
      for (let n = 0; n < SESSIONS; n++) {
        const session = sessionWithClient()
        side.target.call(callRequest({ method: 'initialize', session, id: ID }), new AskableSink())
        await this.network.settle()
        const server = side.backend.calls.at(-1)?.request.session?.client
        this.conversations.push({ side, session, server, call: undefined, asked: undefined, said: [], cancels: 0 })
      }
      for (let n = 0; n < 2; n++) {
        const nothing = { session: undefined, server: undefined, call: undefined, asked: undefined }
        this.conversations.push({ side, ...nothing, said: [], cancels: 0 })
      }
      side.backend.script = () => {}
    }
  }

  step(choice: number): void {
    const one = this.conversations[choice % this.conversations.length] as Conversation
    const action = ACTIONS[Math.floor(choice / 64) % ACTIONS.length]
    action?.(this, one, Math.floor(choice / 4096) % 2 === 0)
  }

  tag(): string {
    this.#tags++
    return `tag-${this.#tags}`
  }

  /** The call of this tag at its server, once it has arrived and while it is unanswered. */
  arrived({ side }: Conversation, tag: string): ScriptedCall | undefined {
    return side.backend.calls.find((call) => call.text.includes(`"${tag}"`))
  }

  heard({ hearer, tag }: OpenAsk): AskedClient | undefined {
    return hearer.asked.find((asked) => asked.text.includes(`"${tag}"`))
  }

  /** Everybody answers what is open, and everything must have been told to whoever asked for it. */
  async end(): Promise<void> {
    await this.network.settle()
    for (const one of this.conversations) {
      answerCall(this, one)
      answerAsk(this, one)
      await this.network.settle()
    }
    for (const check of this.checks) check()
    for (const { session, side, said, cancels } of this.conversations) {
      if (session === undefined) continue
      expect(session.client.heard.filter(isNote)).toEqual(said)
      const told = side.backend.notifications.filter((one) => one.session?.id === session.id)
      expect(told.length).toBeLessThanOrEqual(cancels)
    }
    for (const { relay } of this.sides) {
      for (const side of ['mesh_in', 'mesh_out']) {
        expect(relay.metrics.value('causeway_exchanges_open', { side }) ?? 0).toBe(0)
      }
      relay.mesh.syncMetrics()
      expect(relay.metrics.total('causeway_frames_dropped_total') ?? 0).toBeLessThanOrEqual(this.#tags)
    }
  }
}

type Action = (world: World, one: Conversation, flag?: boolean) => void

const isNote = (text: string) => text.includes('notifications/message')
const note = (tag: string) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${tag}"}}`
const resultOf = (tag: string) => `{"jsonrpc":"2.0","id":${ID},"result":"${tag}"}`

const startCall: Action = (world, one) => {
  if (one.call !== undefined && one.call.sink.ends.length === 0) return
  const tag = world.tag()
  const sink = new AskableSink()
  const modern = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"tag":"${tag}"}`
  const request =
    one.session === undefined
      ? modernRequest({ id: ID, params: modern })
      : callRequest({ id: ID, session: one.session, params: `{"tag":"${tag}"}` })
  const call: OpenCall = {
    tag,
    sink,
    handle: one.side.target.call(request, sink),
    cancelled: false,
    answered: false,
    saidOnIt: [],
  }
  one.call = call
  world.checks.push(() => {
    const [end] = sink.ends
    expect(sink.ends).toHaveLength(1)
    expect(sink.notifications).toEqual(call.saidOnIt)
    if (end !== undefined && 'octets' in end) expect(Buffer.from(end.octets).toString()).toBe(resultOf(tag))
    else expect([call.cancelled, end?.outcome === OUTCOME.SESSION_LOST]).toEqual([true, false])
    world.answered++
  })
}

const answerCall: Action = (world, one) => {
  const { call } = one
  if (call === undefined) return
  if (call.sink.ends.length > 0) one.call = undefined
  const arrived = call.answered ? undefined : world.arrived(one, call.tag)
  if (arrived === undefined) return
  call.answered = true
  arrived.result(resultOf(call.tag))
}

const cancelCall: Action = (_world, one) => {
  const { call, session } = one
  if (call === undefined || call.cancelled) return
  call.cancelled = true
  one.cancels++
  if (session === undefined) call.handle.cancel('disconnect')
  else one.side.target.notify(clientNotification('notifications/cancelled', { session, params: `{"requestId":${ID}}` }))
}

const sayOnCall: Action = (world, one) => {
  const { call } = one
  const arrived = call && !call.answered ? world.arrived(one, call.tag) : undefined
  if (call === undefined || arrived === undefined) return
  const text = note(world.tag())
  call.saidOnIt.push(text)
  arrived.notify(text)
}

const say: Action = (world, { server, said }) => {
  if (server === undefined) return
  const text = note(world.tag())
  said.push(text)
  server.notification(Buffer.from(text), () => {})
}

const askClient: Action = (world, one, onCall = false) => {
  const { server, session, call } = one
  if (session === undefined || server === undefined || one.asked !== undefined) return
  const tag = world.tag()
  const answer = new RecordingAnswer()
  const request = serverRequest({ id: ID, params: `{"tag":"${tag}"}` })
  const arrived = onCall && call !== undefined && !call.answered ? world.arrived(one, call.tag) : undefined
  const hearer = arrived === undefined || call === undefined ? session.client : call.sink.client
  const handle = arrived === undefined ? server.request(request, answer) : arrived.ask(request, answer)
  if (handle === undefined) throw new Error('nobody may be asked on a call')
  const asked: OpenAsk = { tag, answer, handle, hearer, cancelled: false }
  one.asked = asked
  world.checks.push(() => {
    const [end] = answer.ends
    expect(answer.ends).toHaveLength(1)
    expect(world.heard(asked)?.cancels.length ?? 0).toBeLessThanOrEqual(asked.cancelled ? 1 : 0)
    if (end !== undefined && 'octets' in end) expect(Buffer.from(end.octets).toString()).toBe(resultOf(tag))
    else expect([asked.cancelled, end?.outcome]).toEqual([true, OUTCOME.CANCELLED])
    world.answered++
  })
}

const answerAsk: Action = (world, one) => {
  const { asked } = one
  if (asked === undefined) return
  const heard = world.heard(asked)
  if (heard === undefined && asked.answer.ends.length === 0) return
  if (asked.answer.ends.length === 0 && heard?.cancels.length === 0) heard.result(`"${asked.tag}"`)
  if (asked.answer.ends.length > 0) one.asked = undefined
}

const cancelAsk: Action = (_world, { asked }) => {
  if (asked === undefined || asked.cancelled) return
  asked.cancelled = true
  const params = `{"requestId":${ID}}`
  asked.handle.cancel({
    octets: Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`),
  })
}

const ACTIONS: readonly Action[] = [
  startCall,
  startCall,
  askClient,
  askClient,
  askClient,
  say,
  sayOnCall,
  answerCall,
  answerAsk,
  answerAsk,
  cancelCall,
  cancelAsk,
]

describe('many sessions whose requests all have one id, in both directions over the same associations', () => {
  it(`${requirement('MCP-012', 'MCP-019', 'MCP-049')} every answer, cancel and notification reaches exactly whoever it is for`, async () => {
    let answered = 0
    const choices = fc.array(fc.nat({ max: 2 ** 20 }), { minLength: 150, maxLength: 300, size: 'max' })
    await fc.assert(
      fc.asyncProperty(choices, async (steps) => {
        const world = new World()
        await world.open()
        for (const [n, choice] of steps.entries()) {
          world.step(choice)
          if ((choice + n) % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        await world.end()
        answered += world.answered
      }),
      { numRuns: 12 },
    )
    expect(answered).toBeGreaterThan(300)
  }, 60_000)
})
