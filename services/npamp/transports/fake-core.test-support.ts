import type {
  AssociationCore,
  AssociationEvent,
  FrameTicket,
  LinkMessage,
  OutboundFrame,
} from '../association/contract.ts'
import type { NpampError } from '../errors.ts'

/** An AssociationCore that speaks raw octets, so that a driver can be watched at work. */
export class FakeCore implements AssociationCore {
  readonly role = 'initiator'
  state: AssociationCore['state'] = 'ready'
  readonly established = undefined
  readonly peer = undefined
  readonly queuedOctets = 0
  readonly heldOctets = 0
  readonly queueFull = false
  readonly peerMaxFrameOctets = 65_536
  readonly counters = {
    framesSent: 0,
    framesReceived: 0,
    octetsSent: 0,
    octetsReceived: 0,
    dropped: new Map<string, number>(),
    keyUpdatesSent: 0,
    keyUpdatesReceived: 0,
    ratchetsReceived: 0,
  }

  /** What the driver did, in order. */
  readonly log: string[] = []
  readonly received: Uint8Array[] = []
  readonly events: AssociationEvent[] = []
  outgoing: Uint8Array[] = []
  due: number | undefined

  receive(octets: Uint8Array, now: number): void {
    this.log.push(`receive ${octets.length} at ${now}`)
    this.received.push(octets)
  }

  transportEnded(clean: boolean, now: number): void {
    this.log.push(`ended ${clean ? 'clean' : 'lost'} at ${now}`)
    this.finish()
  }

  handleTimeout(now: number): void {
    this.log.push(`timeout at ${now}`)
    if (this.due !== undefined && this.due <= now) this.due = undefined
  }

  nextTimeout(): number | undefined {
    return this.due
  }

  nextEvent(): AssociationEvent | undefined {
    return this.events.shift()
  }

  transmit(now: number, maxOctets: number): Uint8Array[] {
    const pieces: Uint8Array[] = []
    let octets = 0
    while (octets < maxOctets) {
      const piece = this.outgoing.shift()
      if (piece === undefined) break
      pieces.push(piece)
      octets += piece.length
    }
    this.log.push(`transmit ${pieces.length} at ${now}`)
    return pieces
  }

  send(frame: OutboundFrame): FrameTicket {
    this.outgoing.push(...frame.parts)
    return { taken: false, withdraw: () => false }
  }

  /** Queues octets to send. */
  queue(...pieces: Uint8Array[]): void {
    this.outgoing.push(...pieces)
  }

  finish(): void {
    this.state = 'closed'
    this.events.push({ type: 'closed', cause: { by: 'peer', code: 0, reason: '' } })
  }

  setOpenExchanges(): void {}
  setReadingPaused(): void {}
  sendLink(_message: LinkMessage): boolean {
    return false
  }
  sendError(): void {}
  close(): void {
    this.finish()
  }
  abort(_error: NpampError): void {
    this.finish()
  }
}
