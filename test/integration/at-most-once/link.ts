import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { ListenAddress } from '@causeway/relay'

export type Way = 'toTools' | 'toEdge'

/**
 * The TCP way between two relays, in the hands of a test: it passes octets on until it is told to hold them, to break off
 * after so many, or to end one direction. Numbers of octets are over all its connections together.
 */
export class Link {
  readonly address: ListenAddress
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #gates: Readonly<Record<Way, Gate>> = { toTools: new Gate(), toEdge: new Gate() }
  /** Where it leads. */
  target: ListenAddress | undefined

  /** Listens on the loopback interface. */
  static async open(): Promise<Link> {
    const server = createServer({ allowHalfOpen: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Link(server)
  }

  private constructor(server: Server) {
    const { address, port } = server.address() as AddressInfo
    this.address = { host: address, port }
    this.#server = server
    server.on('connection', (near) => {
      if (this.target === undefined) throw new Error('the link leads nowhere yet')
      const far = connect({ ...this.target, allowHalfOpen: true })
      const connection = new Connection(near, far, this.#gates)
      this.#connections.add(connection)
      near.once('close', () => this.#connections.delete(connection))
    })
  }

  /** Octets that were passed on so far. */
  passed(way: Way): number {
    return this.#gates[way].passed
  }

  /** Passes on so many more, then keeps what comes. */
  hold(way: Way, afterOctets = 0): void {
    this.#gates[way].close(afterOctets, () => {})
  }

  /** Resolves when at least so many octets are kept. */
  held(way: Way, leastOctets = 1): Promise<void> {
    return this.#gates[way].waitForHeld(leastOctets)
  }

  /** Stops reading this way: what comes then fills the buffers of the system, and after that those of the sender. */
  stall(way: Way): void {
    for (const connection of this.#connections) connection.stall(way)
  }

  /** Passes on what was kept, and everything again. */
  release(): void {
    for (const gate of Object.values(this.#gates)) gate.open()
    for (const connection of this.#connections) connection.flush()
  }

  /** Both ways again, as from the start; what was kept is gone with its connections. */
  heal(): void {
    this.cut()
    for (const gate of Object.values(this.#gates)) gate.open()
  }

  /** Resets every connection. */
  cut(): void {
    for (const connection of this.#connections) connection.reset()
  }

  /** Resets the connection that was made last. */
  cutNewest(): void {
    ;[...this.#connections].at(-1)?.reset()
  }

  /** Connections that are there. */
  get connections(): number {
    return this.#connections.size
  }

  /** Resets every connection when so many more octets were passed on this way. They arrive. Resolves then. */
  cutAfter(way: Way, octets: number): Promise<void> {
    return new Promise((resolve) => {
      this.#gates[way].close(octets, () => {
        for (const connection of this.#connections) connection.breakOff(way)
        this.#gates[way].open()
        resolve()
      })
    })
  }

  /** Says on every connection that nothing more will come this way; the other way goes on. */
  endWay(way: Way): void {
    for (const connection of this.#connections) connection.endWay(way)
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** How much may pass one way. */
class Gate {
  passed = 0
  heldOctets = 0
  #left = Number.POSITIVE_INFINITY
  #onShut: () => void = () => {}
  readonly #waiting = new Set<() => void>()

  get left(): number {
    return this.#left
  }

  open(): void {
    this.#left = Number.POSITIVE_INFINITY
  }

  close(afterOctets: number, onShut: () => void): void {
    this.#left = afterOctets
    this.#onShut = onShut
    if (afterOctets === 0) onShut()
  }

  pass(octets: number): void {
    this.passed += octets
    this.#left -= octets
    if (this.#left === 0) this.#onShut()
  }

  hold(octets: number): void {
    this.heldOctets += octets
    for (const look of this.#waiting) look()
  }

  async waitForHeld(leastOctets: number): Promise<void> {
    if (this.heldOctets >= leastOctets) return
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.heldOctets < leastOctets) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
    })
  }
}

class Connection {
  readonly #near: Socket
  readonly #far: Socket
  readonly #pipes: Readonly<Record<Way, Pipe>>

  constructor(near: Socket, far: Socket, gates: Readonly<Record<Way, Gate>>) {
    this.#near = near
    this.#far = far
    for (const socket of [near, far]) socket.setNoDelay(true)
    this.#pipes = { toTools: new Pipe(near, far, gates.toTools), toEdge: new Pipe(far, near, gates.toEdge) }
  }

  stall(way: Way): void {
    const from = way === 'toTools' ? this.#near : this.#far
    from.pause()
  }

  flush(): void {
    for (const pipe of Object.values(this.#pipes)) pipe.flush()
  }

  reset(): void {
    for (const pipe of Object.values(this.#pipes)) pipe.drop()
    this.#near.resetAndDestroy()
    this.#far.resetAndDestroy()
  }

  /** Resets; but what was passed on this way arrives before that. */
  breakOff(way: Way): void {
    for (const pipe of Object.values(this.#pipes)) pipe.drop()
    const [from, to] = way === 'toTools' ? [this.#near, this.#far] : [this.#far, this.#near]
    from.resetAndDestroy()
    to.destroySoon()
  }

  endWay(way: Way): void {
    this.#pipes[way].end()
  }
}

/** One direction of one connection. */
class Pipe {
  readonly #to: Socket
  readonly #gate: Gate
  #held: Buffer[] = []
  #ending: 'end' | 'reset' | undefined
  #over = false

  constructor(from: Socket, to: Socket, gate: Gate) {
    this.#to = to
    this.#gate = gate
    from.on('data', (octets: Buffer) => this.#take(octets))
    from.on('end', () => this.#endWith('end'))
    // A process that was killed: its kernel resets what it had not read yet.
    from.on('error', () => this.#endWith('reset'))
    from.on('close', () => this.#endWith('end'))
  }

  flush(): void {
    const held = this.#held
    this.#held = []
    for (const octets of held) this.#gate.hold(-octets.length)
    for (const octets of held) this.#take(octets)
    if (this.#held.length === 0 && this.#ending !== undefined) this.#finish(this.#ending)
  }

  /** Nothing more goes this way, not even what is kept. */
  drop(): void {
    this.#over = true
    for (const octets of this.#held) this.#gate.hold(-octets.length)
    this.#held = []
  }

  end(): void {
    this.drop()
    this.#to.end()
  }

  #take(octets: Buffer): void {
    if (this.#over) return
    const now = octets.subarray(0, this.#gate.left)
    const later = octets.subarray(now.length)
    if (later.length > 0) {
      this.#held.push(later)
      this.#gate.hold(later.length)
    }
    if (now.length > 0) {
      this.#to.write(now)
      this.#gate.pass(now.length)
    }
  }

  #endWith(how: 'end' | 'reset'): void {
    if (this.#over || this.#ending !== undefined) return
    this.#ending = how
    if (this.#held.length === 0 && this.#gate.left > 0) this.#finish(how)
  }

  #finish(how: 'end' | 'reset'): void {
    if (this.#over) return
    this.#over = true
    if (how === 'end') this.#to.end()
    else this.#to.resetAndDestroy()
  }
}
