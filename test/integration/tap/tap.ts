import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type TLSSocket } from 'node:tls'
import type { ListenAddress } from '@causeway/relay'
import { FrameReader, type WireFrame } from './frames.ts'

export type Way = 'toTools' | 'toEdge'

/** What is passed on instead of a frame; undefined: the frame. */
export type Meddling = (frame: WireFrame, way: Way) => readonly Buffer[] | undefined

/**
 * Somebody between two relays who holds a certificate that the dialling relay takes, and so sees and can change every
 * octet inside the outer TLS.
 */
export class Tap {
  readonly address: ListenAddress
  /** Where it leads. */
  target: ListenAddress | undefined
  /** Everything that came in, in order, before any meddling. */
  readonly frames: Readonly<Record<Way, WireFrame[]>> = { toTools: [], toEdge: [] }
  meddle: Meddling = () => undefined
  readonly #server: Server
  readonly #octets: Buffer[] = []
  readonly #sockets = new Set<TLSSocket>()

  static async open(certificate: { readonly cert: string; readonly key: string }): Promise<Tap> {
    const server = createServer({ ...certificate, ...N_PAMP })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Tap(server)
  }

  private constructor(server: Server) {
    const { address, port } = server.address() as AddressInfo
    this.address = { host: address, port }
    this.#server = server
    server.on('secureConnection', (near) => this.#join(near))
    server.on('tlsClientError', () => {})
  }

  /** All octets of both ways. */
  get octets(): Buffer {
    return Buffer.concat(this.#octets)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: TLSSocket): void {
    if (this.target === undefined) throw new Error('the tap leads nowhere yet')
    const far = connect({ ...this.target, ...N_PAMP, rejectUnauthorized: false })
    this.#pass(near, far, 'toTools')
    this.#pass(far, near, 'toEdge')
  }

  #pass(from: TLSSocket, to: TLSSocket, way: Way): void {
    const reader = new FrameReader()
    this.#sockets.add(from)
    from.setNoDelay(true)
    from.on('data', (octets: Buffer) => {
      this.#octets.push(octets)
      for (const frame of reader.push(octets)) {
        this.frames[way].push(frame)
        for (const piece of this.meddle(frame, way) ?? [frame.octets]) to.write(piece)
      }
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroySoon()
    })
  }
}

const N_PAMP = { ALPNProtocols: ['n-pamp/2'], minVersion: 'TLSv1.3' } as const
