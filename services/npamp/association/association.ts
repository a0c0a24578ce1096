import { CHANNEL } from '../codepoints/channels.ts'
import { ALL_CHANNEL_FRAME } from '../codepoints/frame-types.ts'
import { ClosedError, IncompatibleError, LimitError, type NpampError } from '../errors.ts'
import type { Established } from '../handshake/established.ts'
import { Deframer, MAX_HANDSHAKE_FRAME_OCTETS, type RawFrame } from '../wire/deframer.ts'
import type { FrameHeader } from '../wire/header.ts'
import { PING_OCTETS } from '../wire/ping.ts'
import { admit } from './admission.ts'
import type {
  AssociationCore,
  AssociationEvent,
  AssociationState,
  CloseCause,
  CloseCode,
  EstablishedInfo,
  FrameTicket,
  LinkMessage,
  OutboundFrame,
  PeerCapabilities,
  Role,
} from './contract.ts'
import { Counters } from './counters.ts'
import { checkOptions, establish } from './establish.ts'
import { acknowledgeClose, sayClose, sayFault } from './farewell.ts'
import { asNpampError } from './fault-response.ts'
import { Fifo } from './fifo.ts'
import { dispatch } from './frames/dispatch.ts'
import type { Reaction } from './frames/handler.ts'
import { type HandshakeStep, startHandshake } from './handshake-steps.ts'
import { beginHello } from './hello.ts'
import { sendLink } from './link.ts'
import type { Live } from './live.ts'
import { type AssociationOptions, DEFAULT_HANDSHAKE_TIMEOUT_MS, DEFAULT_MAX_FRAME_OCTETS } from './options.ts'
import { LANE, laneOf } from './outbound-queue.ts'
import { PeerWatch } from './peer-watch.ts'
import { enter, type Phase } from './phase.ts'
import { requireSendable } from './sendable.ts'
import { TIMER, type Timer, Timers } from './timers.ts'
import { sealClose, transmitQueued } from './transmit.ts'

/** How long a CLOSE may wait to leave, and then for its acknowledgement (digest 01 9.2). */
const CLOSING_TIMEOUT_MS = 5_000

/**
 * One association, either role, from its first octet to its last. A coordinator only: it moves between phases, runs the
 * timers and hands frames to whoever knows them.
 */
export class Association implements AssociationCore {
  readonly role: Role
  readonly counters = new Counters()
  readonly #options: AssociationOptions
  readonly #timers = new Timers()
  readonly #events = new Fifo<AssociationEvent>()
  readonly #deframer = new Deframer({ maxFrameOctets: MAX_HANDSHAKE_FRAME_OCTETS })
  /** Finished octets; they leave before anything that is sealed later. */
  readonly #outbox: Uint8Array[] = []
  #phase: Phase
  #info: EstablishedInfo | undefined
  #watch: PeerWatch | undefined
  /** The PING that has not left yet. */
  #ping: FrameTicket | undefined
  /** Header of the frame being handled, for the ERROR that may come of it. */
  #current: FrameHeader | undefined
  #busy = false
  #paused = false

  /**
   * An initiator has its first flight ready at once: the driver flushes after construction.
   *
   * @param now monotonic ms; the handshake deadline counts from here.
   * @throws MisuseError ARGUMENT for contradictory options, IncompatibleError PROFILE_NOT_IMPLEMENTED.
   */
  constructor(options: AssociationOptions, now: number) {
    checkOptions(options)
    this.role = options.role
    this.#options = options
    const { flights, next } = startHandshake(options)
    this.#phase = { name: 'handshaking', step: next }
    this.#write(flights)
    this.#timers.arm(TIMER.HANDSHAKE, now + (options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_TIMEOUT_MS))
  }

  get state(): AssociationState {
    return this.#phase.name
  }

  get established(): EstablishedInfo | undefined {
    return this.#info
  }

  get peer(): PeerCapabilities | undefined {
    return this.#live?.peer
  }

  get queueFull(): boolean {
    return this.#live?.queue.full ?? false
  }

  get queuedOctets(): number {
    return this.#live?.queue.octets ?? 0
  }

  get heldOctets(): number {
    return this.#deframer.heldOctets
  }

  get peerMaxFrameOctets(): number {
    return this.#live?.peerMaxFrameOctets ?? DEFAULT_MAX_FRAME_OCTETS
  }

  receive(octets: Uint8Array, now: number): void {
    if (this.#phase.name === 'closed') return
    this.counters.octetsReceived += octets.length
    this.#watch?.octetsArrived(now)
    try {
      this.#deframer.push(octets)
      const completed = this.#receiveFrames(now)
      this.#watch?.inputConsumed(this.#deframer.heldOctets, completed, now)
    } catch (thrown) {
      this.#fail(thrown, now)
    }
  }

  transportEnded(clean: boolean, now: number): void {
    const phase = this.#phase
    if (phase.name === 'closing' && phase.live.closeSealed) {
      this.#end(locally(phase))
    } else {
      const how = clean ? 'the peer ended the stream without CLOSE' : 'the connection was lost'
      this.#fail(new ClosedError('TRANSPORT_LOST', how), now)
    }
  }

  handleTimeout(now: number): void {
    for (let timer = this.#timers.takeDue(now); timer !== undefined; timer = this.#timers.takeDue(now)) {
      this.#onTimer(timer, now)
    }
  }

  nextTimeout(): number | undefined {
    return this.#timers.next()
  }

  nextEvent(): AssociationEvent | undefined {
    const event = this.#events.shift()
    if (event !== undefined) return event
    return this.#live?.queue.takeDrained() ? { type: 'drained' } : undefined
  }

  transmit(now: number, maxOctets: number): Uint8Array[] {
    const out = this.#outbox.length === 0 ? [] : this.#outbox.splice(0)
    const live = this.#live
    if (live !== undefined) {
      try {
        this.#seal(live, now, maxOctets, out)
      } catch (thrown) {
        this.#fail(thrown, now)
        out.push(...this.#outbox.splice(0))
      }
    }
    if (out.length > 0) this.#watch?.octetsLeft()
    for (const piece of out) this.counters.octetsSent += piece.length
    return out
  }

  send(frame: OutboundFrame): FrameTicket {
    const live = requireSendable(this.#phase, frame)
    return live.queue.push(laneOf(frame.channel), frame)
  }

  setOpenExchanges(count: number, _now: number): void {
    this.#busy = count > 0
    this.#watch?.setBusy(this.#busy)
  }

  setReadingPaused(paused: boolean, now: number): void {
    this.#paused = paused
    this.#watch?.setPaused(paused, this.#deframer.heldOctets, now)
  }

  sendLink(message: LinkMessage, _now: number): boolean {
    return this.#phase.name === 'ready' && sendLink(this.#phase.live, message)
  }

  sendError(channel: number, code: number, ref: { type: number; sequence: bigint }, now: number): void {
    const live = this.#live
    if (live?.isEnabled(channel)) live.report(channel, code, ref.type, ref.sequence, now)
  }

  close(code: CloseCode, reason: string, now: number): void {
    const phase = this.#phase
    if (phase.name === 'handshaking') {
      this.#outbox.length = 0
      this.#end({ by: 'local', code, reason })
    } else if (phase.name !== 'closing' && phase.name !== 'closed') {
      this.#enter({ name: 'closing', live: phase.live, code, reason })
      this.#timers.disarmAll()
      this.#watch = undefined
      this.#timers.arm(TIMER.CLOSING, now + CLOSING_TIMEOUT_MS)
    }
  }

  abort(error: NpampError, _now: number): void {
    if (this.#phase.name === 'closed') return
    this.#outbox.length = 0
    this.#end({ by: 'error', error })
  }

  get #live(): Live | undefined {
    return this.#phase.name === 'handshaking' || this.#phase.name === 'closed' ? undefined : this.#phase.live
  }

  #enter(phase: Phase): void {
    this.#phase = enter(this.#phase, phase)
  }

  #write(flights: readonly Uint8Array[]): void {
    this.#outbox.push(...flights)
    this.counters.framesSent += flights.length
  }

  /** True when at least one frame was complete. */
  #receiveFrames(now: number): boolean {
    let completed = false
    for (let frame = this.#deframer.next(); frame !== undefined; frame = this.#deframer.next()) {
      completed = true
      this.counters.framesReceived += 1
      this.#current = frame.header
      const phase = this.#phase
      if (phase.name === 'handshaking') this.#receiveHandshake(phase.step, frame, now)
      else if (phase.name === 'closed') break
      else this.#receiveSealed(phase.live, frame, now)
    }
    this.#current = undefined
    return completed
  }

  #receiveHandshake(step: HandshakeStep, frame: RawFrame, now: number): void {
    const progress = step.receive(frame)
    this.#write(progress.flights)
    if ('next' in progress) this.#enter({ name: 'handshaking', step: progress.next })
    else this.#becomeEstablished(progress.established, now)
  }

  #becomeEstablished(done: Established, now: number): void {
    const live = this.#establish(done)
    this.#enter({ name: 'established', live })
    this.#info = live.info
    this.#timers.disarm(TIMER.HANDSHAKE)
    this.#deframer.maxFrameOctets = live.settings.maxFrameOctets ?? DEFAULT_MAX_FRAME_OCTETS
    this.#watch = new PeerWatch(this.#timers, now)
    this.#watch.setBusy(this.#busy)
    this.#watch.setPaused(this.#paused, this.#deframer.heldOctets, now)
    this.#events.push({ type: 'established', info: live.info })
    if (beginHello(live, now)) this.#becomeReady(live)
  }

  #establish(done: Established): Live {
    try {
      return establish(this.#options, done, {
        events: this.#events,
        timers: this.#timers,
        counters: this.counters,
        outbox: this.#outbox,
      })
    } finally {
      done.master.wipe()
    }
  }

  #becomeReady(live: Live): void {
    if (this.#phase.name === 'closing' || live.peer === undefined) return
    this.#enter({ name: 'ready', live })
    this.#events.push({ type: 'ready', peer: live.peer })
  }

  #receiveSealed(live: Live, frame: RawFrame, now: number): void {
    const opened = admit(live, frame.header) ?? live.receiver.open(frame, now)
    if (typeof opened === 'string') {
      live.drop(opened)
      return
    }
    const reaction = dispatch(live, frame.header, opened, now)
    if (reaction !== undefined) this.#react(reaction, now)
  }

  #react(reaction: Reaction, now: number): void {
    const phase = this.#phase
    if (phase.name === 'handshaking' || phase.name === 'closed') return
    switch (reaction.kind) {
      case 'ready':
        this.#becomeReady(phase.live)
        break
      case 'closedByPeer': {
        const { code, reason } = reaction
        const crossing = phase.name === 'closing' && phase.live.closeSealed
        acknowledgeClose(phase.live, this.#current?.channel ?? CHANNEL.CONTROL, now)
        this.#end(crossing ? locally(phase) : { by: 'peer', code, reason })
        break
      }
      case 'closeAcknowledged':
        if (phase.name === 'closing') this.#end(locally(phase))
        break
    }
  }

  #seal(live: Live, now: number, maxOctets: number, out: Uint8Array[]): void {
    const empty = transmitQueued(live, now, maxOctets, out)
    if (this.#ping?.taken) {
      this.#ping = undefined
      this.#watch?.pingLeft(now)
    }
    const phase = this.#phase
    if (!empty || phase.name !== 'closing' || live.closeSealed) return
    if (sealClose(live, phase.code, phase.reason, now, out)) this.#timers.arm(TIMER.CLOSING, now + CLOSING_TIMEOUT_MS)
  }

  #onTimer(timer: Timer, now: number): void {
    switch (timer) {
      case TIMER.HANDSHAKE:
        this.#fail(new LimitError('HANDSHAKE_TIMEOUT', 'the handshake took too long'), now)
        break
      case TIMER.HELLO:
        this.#fail(new IncompatibleError('NO_HELLO', 'the peer sent no HELLO'), now)
        break
      case TIMER.LIVENESS:
        this.#onSilence(now)
        break
      case TIMER.STALL:
        if (this.#watch?.checkProgress(this.#deframer.heldOctets, now) !== false) break
        this.#fail(new LimitError('STALLED', 'the peer stopped in the middle of a frame'), now)
        break
      case TIMER.CLOSING:
        this.#onClosingTimeout(now)
        break
      case TIMER.KEY_PACE:
        break // The driver transmits after every timeout.
    }
  }

  #onSilence(now: number): void {
    const verdict = this.#watch?.checkLiveness(now)
    if (verdict === 'dead') this.#fail(new ClosedError('DEAD', 'the peer did not answer a PING'), now)
    if (verdict !== 'ping') return
    const probe = { channel: CHANNEL.CONTROL, type: ALL_CHANNEL_FRAME.PING, parts: [new Uint8Array(PING_OCTETS)] }
    this.#ping = this.#live?.queue.push(LANE.REPLY, probe)
  }

  #onClosingTimeout(now: number): void {
    const phase = this.#phase
    if (phase.name !== 'closing') return
    sayClose(phase.live, phase.code, phase.reason, now)
    this.#end(locally(phase))
  }

  #fail(thrown: unknown, now: number): void {
    const phase = this.#phase
    if (phase.name === 'closed') return
    const error = asNpampError(thrown)
    // Digest 02 section 10: a failed handshake says nothing.
    if (phase.name === 'handshaking') this.#outbox.length = 0
    else sayFault(phase.live, error, this.#current, now)
    this.#end({ by: 'error', error })
  }

  /** The last step: keys wiped (REC-020), timers off, one `closed` event. What is in the outbox still leaves. */
  #end(cause: CloseCause): void {
    const phase = this.#phase
    if (phase.name === 'handshaking') phase.step.wipe()
    else if (phase.name !== 'closed') phase.live.wipe()
    this.#enter({ name: 'closed' })
    this.#timers.disarmAll()
    this.#watch = undefined
    this.#ping = undefined
    this.#events.push({ type: 'closed', cause })
  }
}

function locally(closing: { readonly code: CloseCode; readonly reason: string }): CloseCause {
  return { by: 'local', code: closing.code, reason: closing.reason }
}
