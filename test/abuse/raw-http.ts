import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { HeaderChanges } from '../fixtures/edge/http-client.ts'

/** A connection on which a test writes what it likes. */
export class RawConnection {
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #over = false
  #wake: () => void = () => {}

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (octets) => {
      this.#received = Buffer.concat([this.#received, octets])
      this.#wake()
    })
    const end = (): void => {
      this.#over = true
      this.#wake()
    }
    socket.on('error', end)
    socket.on('end', end)
    socket.on('close', end)
  }

  get received(): string {
    return this.#received.toString()
  }

  /** Resolves when the system has taken it. */
  write(octets: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(octets, () => resolve()))
  }

  /** All that has come once it is enough, or the connection is over. */
  async until(isEnough: (text: string) => boolean): Promise<string> {
    while (!this.#over && !isEnough(this.received)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.received
  }

  get over(): boolean {
    return this.#over
  }

  /** No more than the system takes by itself is read. */
  pause(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Head of a POST of MCP, without its last empty line. */
export function postHead(url: string, headers: HeaderChanges, version = 'HTTP/1.1'): string {
  const { host, pathname } = new URL(url)
  const all = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return [`POST ${pathname} ${version}`, ...lines, ''].join('\r\n')
}

/** One POST whose body is written piece by piece, with Content-Length; all of its answer, as it came. */
export async function inPieces(url: string, headers: HeaderChanges, pieces: readonly Uint8Array[]): Promise<string> {
  const connection = await RawConnection.open(url)
  try {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    await connection.write(`${postHead(url, headers)}content-length: ${length}\r\nconnection: close\r\n\r\n`)
    for (const piece of pieces) {
      await connection.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return await connection.until(() => false)
  } finally {
    connection.close()
  }
}
