import { Association } from '../../services/npamp/association/association.ts'
import type { AssociationEvent } from '../../services/npamp/association/contract.ts'
import { CHANNEL } from '../../services/npamp/codepoints/channels.ts'
import { ALL_CHANNEL_FRAME, CONTROL_FRAME } from '../../services/npamp/codepoints/frame-types.ts'
import { startClient } from '../../services/npamp/handshake/client.ts'
import type { Established } from '../../services/npamp/handshake/established.ts'
import { awaitClientHello } from '../../services/npamp/handshake/server.ts'
import type { DirectionRoot } from '../../services/npamp/keys/direction-root.ts'
import { DIRECTION } from '../../services/npamp/keys/traffic.ts'
import { Deframer, type RawFrame } from '../../services/npamp/wire/deframer.ts'
import { AAD_OCTETS, encodeHeader, FLAG, TAG_OCTETS } from '../../services/npamp/wire/header.ts'
import { encodeHello, encodeHelloDone } from '../../services/npamp/wire/hello.ts'
import { concatOctets } from '../../services/npamp/wire/octets.ts'
import { clientConfig, type EndOptions, initiatorOptions, responderOptions, serverConfig } from './ends.ts'

export interface SentFrame {
  readonly channel?: number
  readonly type: number
  readonly body?: Uint8Array
  readonly flags?: number
  /** Default: the next one; given: neither checked nor counted. */
  readonly sequence?: bigint
  /** Applied to the finished frame, CRC not repaired. */
  readonly damage?: (frame: Uint8Array) => void
}

export interface ReceivedFrame {
  readonly channel: number
  readonly type: number
  readonly sequence: bigint
  readonly payload: Uint8Array
}

/**
 * A peer that can do what no correct one does, against one Association. Its record layer is its own and knows nothing of
 * `services/npamp/record`: the plain formulas, so that both sides cannot be wrong alike.
 */
export class RawPeer {
  readonly association: Association
  /** What the association sent since Established, opened; its KEY_UPDATEs are followed. */
  readonly received: ReceivedFrame[] = []
  readonly events: AssociationEvent[] = []
  now = 0
  sendRoot: DirectionRoot
  receiveRoot: DirectionRoot
  readonly #established: Established
  readonly #deframer = new Deframer({ maxFrameOctets: 2 ** 25 })
  readonly #send = new Map<number, { epoch: bigint; sequence: bigint }>()
  readonly #receive = new Map<number, { epoch: bigint; sequence: bigint }>()

  private constructor(association: Association, established: Established, isClient: boolean) {
    this.association = association
    this.#established = established
    const [mine, theirs] = isClient
      ? [DIRECTION.CLIENT_TO_SERVER, DIRECTION.SERVER_TO_CLIENT]
      : [DIRECTION.SERVER_TO_CLIENT, DIRECTION.CLIENT_TO_SERVER]
    this.sendRoot = established.master.directionRoot(mine)
    this.receiveRoot = established.master.directionRoot(theirs)
  }

  /** A peer that accepted the association under test, an initiator. Nothing of Bridge or HELLO was sent by the peer yet. */
  static accepting(options: EndOptions = {}): RawPeer {
    const association = new Association(initiatorOptions(options), 0)
    const deframer = new Deframer({ maxFrameOctets: 65_536 })
    const next = (): RawFrame => nextFrame(deframer, association)
    const { flights, next: awaitAuth } = awaitClientHello(serverConfig()).receive(next())
    for (const flight of flights) association.receive(flight, 0)
    const { established } = awaitAuth.receive(next())
    const peer = new RawPeer(association, established, false)
    for (let frame = deframer.next(); frame !== undefined; frame = deframer.next()) peer.#open(frame)
    return peer.collect()
  }

  /** A peer that dialled the association under test, a responder. */
  static dialling(options: EndOptions = {}): RawPeer {
    const association = new Association(responderOptions(options), 0)
    const deframer = new Deframer({ maxFrameOctets: 65_536 })
    const { flight, next: awaitHello } = startClient(clientConfig())
    association.receive(flight, 0)
    const awaitAuth = awaitHello.receive(nextFrame(deframer, association))
    const { flight: auth, established } = awaitAuth.receive(nextFrame(deframer, association))
    association.receive(auth, 0)
    return new RawPeer(association, established, true).collect()
  }

  /** Sends HELLO and HELLO_DONE. */
  hello(protocols: readonly number[] = [1, 2], hello: Partial<Parameters<typeof encodeHello>[0]> = {}): this {
    const body = encodeHello({ version: 1, protocols, extensions: undefined, ...hello }, [0x0a0a])
    this.send({ type: CONTROL_FRAME.HELLO, body })
    return this.send({ type: CONTROL_FRAME.HELLO_DONE, body: encodeHelloDone() })
  }

  /** Sends one frame, then collects what the association says to it. */
  send(frame: SentFrame): this {
    this.association.receive(this.seal(frame), this.now)
    return this.collect()
  }

  /** The octets of one frame, sealed and counted but not sent. */
  seal({ channel = CHANNEL.CONTROL, type, body = EMPTY, flags = FLAG.ENC, sequence, damage }: SentFrame): Uint8Array {
    const state = stateOf(this.#send, channel)
    const number = sequence ?? state.sequence
    const sealed = (flags & FLAG.ENC) !== 0
    const payloadOctets = body.length + (sealed ? TAG_OCTETS : 0)
    const header = encodeHeader({ flags, type, channel, sequence: number, payloadOctets })
    const keys = this.sendRoot.trafficKeys(state.epoch, this.#established.aead, channel)
    const payload = sealed ? keys.seal(number, header.subarray(0, AAD_OCTETS), [body]) : [body]
    const frame = concatOctets([header, ...payload])
    damage?.(frame)
    if (sequence === undefined && sealed) state.sequence += 1n
    return frame
  }

  /** The peer's own sending keys of a channel move on, as after a KEY_UPDATE. */
  enterNextEpoch(channel: number = CHANNEL.CONTROL): this {
    const state = stateOf(this.#send, channel)
    this.#send.set(channel, { epoch: state.epoch + 1n, sequence: 0n })
    return this
  }

  /** The peer's own sending root moves on, as after a MASTER_RATCHET. */
  ratchetSending(): this {
    this.sendRoot = this.sendRoot.ratchet()
    this.#send.clear()
    return this
  }

  /** The root of what the association sends moves on, as after its REKEM_ACK. */
  rekemReceiving(secret: Uint8Array, thRekem: Uint8Array): this {
    this.receiveRoot = this.receiveRoot.rekem(secret, thRekem)
    this.#receive.clear()
    return this
  }

  /** Lets time pass for the association, timer by timer, and collects. */
  wait(ms: number): this {
    const until = this.now + ms
    for (let at = this.association.nextTimeout(); at !== undefined && at <= until; ) {
      this.now = Math.max(this.now, at)
      this.association.handleTimeout(this.now)
      this.collect()
      at = this.association.nextTimeout()
    }
    this.now = until
    return this
  }

  /** Takes events and octets from the association, and opens the latter. */
  collect(): this {
    for (let event = this.association.nextEvent(); event !== undefined; event = this.association.nextEvent()) {
      this.events.push(event)
    }
    for (const piece of this.association.transmit(this.now, Infinity)) this.#deframer.push(piece)
    for (let frame = this.#deframer.next(); frame !== undefined; frame = this.#deframer.next()) this.#open(frame)
    return this
  }

  /** Frames of one type received so far. */
  framesOf(type: number): ReceivedFrame[] {
    return this.received.filter((frame) => frame.type === type)
  }

  get closed(): Extract<AssociationEvent, { type: 'closed' }>['cause'] | undefined {
    const last = this.events.at(-1)
    return last?.type === 'closed' ? last.cause : undefined
  }

  /** Code of the error that ended the association. */
  get fault(): string | undefined {
    return this.closed?.by === 'error' ? this.closed.error.code : undefined
  }

  dropped(reason: string): number {
    return this.association.counters.dropped.get(reason) ?? 0
  }

  #open(frame: RawFrame): void {
    const { channel, type, sequence, flags } = frame.header
    const state = stateOf(this.#receive, channel)
    if (flags !== FLAG.ENC) throw new Error(`flags ${flags} after Established`)
    if (sequence !== state.sequence) throw new Error(`sequence ${sequence} instead of ${state.sequence}`)
    const keys = this.receiveRoot.trafficKeys(state.epoch, this.#established.aead, channel)
    const payload = keys.open(sequence, frame.aad, frame.pieces)
    if (payload === undefined) throw new Error(`frame ${type} on channel ${channel} does not open`)
    state.sequence += 1n
    if (type === ALL_CHANNEL_FRAME.KEY_UPDATE) this.#receive.set(channel, { epoch: state.epoch + 1n, sequence: 0n })
    this.received.push({ channel, type, sequence, payload })
    this.onReceived?.(this.received[this.received.length - 1] as ReceivedFrame)
  }

  /** Called for each frame as it is opened, before the next one. */
  onReceived: ((frame: ReceivedFrame) => void) | undefined
}

const EMPTY = new Uint8Array(0)

function stateOf(map: Map<number, { epoch: bigint; sequence: bigint }>, channel: number) {
  const state = map.get(channel) ?? { epoch: 0n, sequence: 0n }
  map.set(channel, state)
  return state
}

function nextFrame(deframer: Deframer, association: Association): RawFrame {
  for (const piece of association.transmit(0, Infinity)) deframer.push(piece)
  const frame = deframer.next()
  if (frame === undefined) throw new Error('the association did not send the expected flight')
  return frame
}
