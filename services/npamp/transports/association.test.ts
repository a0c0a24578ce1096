import { randomBytes } from 'node:crypto'
import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it } from 'vitest'
import { Association } from '../association/association.ts'
import { type AssociationEvent, CLOSE_CODE } from '../association/contract.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { PROTOCOL } from '../codepoints/protocols.ts'
import { AEAD, SIGNATURE } from '../codepoints/suites.ts'
import { nodeProvider } from '../crypto/node/index.ts'
import type { Transport } from './contract.ts'
import { type Connection, connect } from './driver.ts'
import { memoryPair } from './memory/pair.ts'
import { systemClock } from './system-clock.ts'
import { dialTls } from './tcp-tls/dial.ts'
import { listenTls } from './tcp-tls/listen.ts'

const provider = nodeProvider()
const clock = systemClock()
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (let undo = cleanups.pop(); undo !== undefined; undo = cleanups.pop()) await undo()
})

/** One end of a real association on a real transport. */
class End {
  readonly connection: Connection
  readonly #events: AssociationEvent[] = []
  #wake: (() => void) | undefined

  constructor(role: 'initiator' | 'responder', transport: Transport) {
    const identity = provider.signingKey(SIGNATURE.ED25519, new Uint8Array(randomBytes(32)))
    const handshake = {
      provider,
      identity,
      policy: { mode: 'acceptAny', confirmed: true },
      aeads: [AEAD.AES_256_GCM],
    } as const
    const settings = { protocols: [PROTOCOL.MCP] }
    const association =
      role === 'initiator'
        ? new Association({ role, handshake: { ...handshake, profiles: [PROFILE.STANDARD] }, settings }, clock.now())
        : new Association(
            { role, handshake: { ...handshake, minimumProfile: PROFILE.STANDARD }, settings },
            clock.now(),
          )
    this.connection = connect(association, transport, clock, (event) => {
      this.#events.push(event)
      this.#wake?.()
    })
  }

  /** The next event of this type; earlier ones of other types are passed over. */
  async next<T extends AssociationEvent['type']>(type: T): Promise<Extract<AssociationEvent, { type: T }>> {
    for (;;) {
      const event = this.#events.shift()
      if (event === undefined)
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      else if (event.type === type) return event as Extract<AssociationEvent, { type: T }>
    }
  }

  send(...parts: Uint8Array[]): void {
    this.connection.association.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.NOTIFY, parts })
    this.connection.flush()
  }
}

async function overTls(): Promise<[Transport, Transport]> {
  const accepted = Promise.withResolvers<Transport>()
  const listener = await listenTls({
    host: '127.0.0.1',
    port: 0,
    tls: { mode: 'pinned' },
    onTransport: (transport) => accepted.resolve(transport),
    onRefused: (error) => accepted.reject(error),
  })
  cleanups.push(() => listener.close())
  const near = await dialTls({ ...listener.address, tls: { mode: 'pinned' }, timeoutMs: 10_000 })
  const far = await accepted.promise
  cleanups.push(
    () => near.destroy(),
    () => far.destroy(),
  )
  return [near, far]
}

describe.each([
  ['memory', async () => memoryPair()],
  ['tcp-tls', overTls],
] as const)('an association over %s', (_, pair) => {
  async function ready(): Promise<[End, End]> {
    const [near, far] = await pair()
    const ends: [End, End] = [new End('initiator', near), new End('responder', far)]
    await Promise.all(ends.map((end) => end.next('ready')))
    return ends
  }

  it('is established, carries frames of every size both ways, and closes cleanly', async () => {
    const [a, b] = await ready()
    const sizes = [0, 1, 1000, 100_000, 3_000_000]
    const payloads = sizes.map((size) => new Uint8Array(randomBytes(size)))
    for (const payload of payloads) {
      a.send(payload.subarray(0, payload.length >> 1), payload.subarray(payload.length >> 1))
      b.send(payload)
    }
    for (const end of [a, b])
      for (const [index, payload] of payloads.entries()) {
        const frame = await end.next('frame')
        expect(frame.sequence).toBe(BigInt(index))
        expect(Buffer.compare(frame.payload, payload)).toBe(0)
      }
    a.connection.association.close(CLOSE_CODE.GOING_AWAY, 'enough', clock.now())
    a.connection.flush()
    expect((await b.next('closed')).cause).toEqual({ by: 'peer', code: CLOSE_CODE.GOING_AWAY, reason: 'enough' })
    expect((await a.next('closed')).cause).toMatchObject({ by: 'local', code: CLOSE_CODE.GOING_AWAY })
  })

  it('is lost for both ends when the transport is', async () => {
    const [a, b] = await ready()
    a.connection.transport.destroy()
    for (const end of [a, b]) expect((await end.next('closed')).cause).toMatchObject({ by: 'error' })
  })
})

describe('an association over a transport that tampers', () => {
  it(`${requirement('WIRE-010', 'WIRE-012')} ends, without a reply, when octets of a sealed frame were changed`, async () => {
    const [near, far] = memoryPair()
    let armed = false
    const tampering: Transport = {
      info: near.info,
      start: (receiver) => near.start(receiver),
      write: (pieces) => {
        const octets = Uint8Array.from(pieces.flatMap((piece) => [...piece]))
        const last = octets.length - 1
        if (armed) octets[last] = (octets[last] ?? 0) ^ 1
        return near.write([octets])
      },
      pauseReading: () => near.pauseReading(),
      resumeReading: () => near.resumeReading(),
      end: () => near.end(),
      destroy: () => near.destroy(),
    }
    const [a, b] = [new End('initiator', tampering), new End('responder', far)]
    await Promise.all([a.next('ready'), b.next('ready')])
    armed = true
    a.send(Uint8Array.of(1, 2, 3))
    const { cause } = await b.next('closed')
    expect(cause).toMatchObject({ by: 'error', error: { family: 'authentication', code: 'TAG' } })
  })
})
