import { nodeProvider } from '../crypto/node/index.ts'
import {
  AEAD,
  ANNOUNCED_TLV_TYPES,
  Association,
  type AssociationEvent,
  Bridge,
  type BridgeEvent,
  CLOSE_CODE,
  type IncomingExchange,
  type LinkMessage,
  type NotificationInput,
  type OutgoingExchange,
  type PeerSettings,
  PROFILE,
  PROTOCOL,
  peerHandle,
  type RequestInput,
  SIGNATURE,
  type SigningKey,
} from '../index.ts'
import { type Connection, connect, memoryPair, systemClock } from '../transports/index.ts'
import { associateOver, type ConnectPeerOptions, type McpPeer, peerOver } from './connect.ts'
import { McpServing, type ServeMcpOptions } from './listen.ts'
import type { JsonRpcMessage, McpTransport } from './transport.ts'

const provider = nodeProvider()
const clock = systemClock()

export const SESSION = Uint8Array.from({ length: 16 }, (_, index) => index)

interface TestIdentity {
  readonly key: SigningKey
  readonly handle: string
}

export function newIdentity(): TestIdentity {
  const key = provider.signingKey(SIGNATURE.ED25519, provider.random(32))
  return { key, handle: peerHandle(SIGNATURE.ED25519, key.publicKey, (data) => provider.hash('sha256', data)) }
}

/** As a relay says it. */
export function relaySettings(bootId = provider.random(8)): PeerSettings {
  return {
    protocols: [PROTOCOL.MCP],
    extensions: { tlvTypes: ANNOUNCED_TLV_TYPES, replica: 'relay', bootId },
  }
}

/** As an implementation that knows nothing of HELLO does. */
export const FOREIGN: PeerSettings = { protocols: [PROTOCOL.MCP], assumedProtocols: [PROTOCOL.MCP] }

/** The other end of an embedding: a bridge, and a test that says what it does. */
export class RawPeer {
  readonly core: Association
  readonly bridge: Bridge
  readonly events: BridgeEvent[] = []
  readonly links: LinkMessage[] = []
  readonly #connection: Connection
  #wake: (() => void)[] = []

  constructor(core: Association, transport: Parameters<typeof connect>[1]) {
    this.core = core
    this.bridge = new Bridge(core)
    this.#connection = connect(core, transport, clock, (event) => this.#onEvent(event))
  }

  /** The next event of this type that nobody has taken yet. */
  async next<Type extends BridgeEvent['type']>(type: Type): Promise<BridgeEvent & { type: Type }> {
    for (;;) {
      const at = this.events.findIndex((event) => event.type === type)
      if (at >= 0) return this.events.splice(at, 1)[0] as BridgeEvent & { type: Type }
      await this.#more()
    }
  }

  async nextLink(): Promise<LinkMessage> {
    for (;;) {
      const link = this.links.shift()
      if (link !== undefined) return link
      await this.#more()
    }
  }

  async ready(): Promise<void> {
    while (this.core.state !== 'ready') await this.#more()
  }

  async closed(): Promise<void> {
    while (this.core.state !== 'closed') await this.#more()
  }

  request(text: string, more: Partial<RequestInput> = {}): OutgoingExchange {
    const label = { effect: 0, scope: '' }
    const input = { protocolId: PROTOCOL.MCP, octets: Buffer.from(text), label, ...more }
    return this.#flushed(this.bridge.request(input, clock.now()))
  }

  notify(text: string, more: Partial<NotificationInput> = {}): void {
    this.#flushed(this.bridge.notify({ protocolId: PROTOCOL.MCP, octets: Buffer.from(text), ...more }))
  }

  cancel(exchange: OutgoingExchange): void {
    this.#flushed(this.bridge.cancel(exchange, clock.now()))
  }

  respond(exchange: IncomingExchange, text: string, kind: 'result' | 'error' = 'result'): void {
    this.#flushed(this.bridge.respond(exchange, { kind, octets: Buffer.from(text) }, clock.now()))
  }

  fail(exchange: IncomingExchange, failure: Parameters<Bridge['fail']>[1]): void {
    this.#flushed(this.bridge.fail(exchange, failure, clock.now()))
  }

  link(message: LinkMessage): void {
    this.#flushed(this.core.sendLink(message, clock.now()))
  }

  close(): void {
    this.#flushed(this.core.close(CLOSE_CODE.NORMAL, 'the test is over', clock.now()))
  }

  #flushed<Result>(result: Result): Result {
    this.#connection.flush()
    return result
  }

  #more(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve))
  }

  #onEvent(event: AssociationEvent): void {
    this.events.push(...this.bridge.handleEvent(event, clock.now()))
    if (event.type === 'link') this.links.push(event.message)
    const waiting = this.#wake
    this.#wake = []
    // Once the core has noted what it tells.
    for (const wake of waiting) setImmediate(wake)
  }
}

export function textOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString()
}

function handshakeOf(key: SigningKey) {
  const policy = { mode: 'acceptAny', confirmed: true } as const
  return { provider, identity: key, policy, aeads: [AEAD.AES_256_GCM] }
}

/** An embedded client, and the peer that it dialled. */
export async function dialledPeer(
  settings = relaySettings(),
  options: Partial<ConnectPeerOptions> = {},
): Promise<{ readonly peer: McpPeer; readonly raw: RawPeer; readonly cut: () => void }> {
  const [own, other] = [newIdentity(), newIdentity()]
  const [near, far] = memoryPair()
  const handshake = { ...handshakeOf(other.key), minimumProfile: PROFILE.STANDARD }
  const raw = new RawPeer(new Association({ role: 'responder', handshake, settings }, clock.now()), far)
  const association = await associateOver(near, clock, { identity: own, peer: other.handle, ...options })
  return { peer: peerOver(association), raw, cut: () => near.destroy() }
}

/** An embedded server, to which peers can be added. */
export function servingStand(options: Partial<ServeMcpOptions> = {}) {
  const [own, allowed] = [newIdentity(), newIdentity()]
  const opened: RecordedTransport[] = []
  const errors: Error[] = []
  const serving = new McpServing(
    {
      identity: own,
      allow: [allowed.handle],
      onSession: (transport, info) => void opened.push(recorded(transport, info)),
      onError: (error) => errors.push(error),
      ...options,
    },
    clock,
    provider,
  )
  const dial = (settings = relaySettings(), key = allowed.key): RawPeer => {
    const [near, far] = memoryPair()
    serving.accept(far, () => {})
    const handshake = { ...handshakeOf(key), profiles: [PROFILE.STANDARD] }
    return new RawPeer(new Association({ role: 'initiator', handshake, settings }, clock.now()), near)
  }
  return { serving, opened, errors, dial }
}

/** A transport with a program that notes what it is given. */
export interface RecordedTransport {
  readonly transport: McpTransport
  readonly info: unknown
  readonly messages: JsonRpcMessage[]
  readonly closes: number
  readonly errors: Error[]
  /** Resolves when there are so many messages. */
  received(count: number): Promise<JsonRpcMessage[]>
  closed(): Promise<void>
}

export function recorded(transport: McpTransport, info: unknown = undefined): RecordedTransport {
  const messages: JsonRpcMessage[] = []
  const errors: Error[] = []
  let closes = 0
  let wake: (() => void)[] = []
  const woken = () => new Promise<void>((resolve) => wake.push(resolve))
  const changed = () => {
    for (const one of wake.splice(0)) one()
    wake = []
  }
  transport.onmessage = (message) => {
    messages.push(message)
    changed()
  }
  transport.onerror = (error) => errors.push(error)
  transport.onclose = () => {
    closes++
    changed()
  }
  void transport.start()
  return {
    transport,
    info,
    messages,
    errors,
    get closes() {
      return closes
    },
    async received(count) {
      while (messages.length < count) await woken()
      return messages
    },
    async closed() {
      while (closes === 0) await woken()
    },
  }
}
