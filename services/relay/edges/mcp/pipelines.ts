import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** No client that is known sends ahead at all; each that waits costs as much as any call. */
export const MAX_PIPELINED = 100

/** Requests of each connection that wait for their turn behind the one that is being answered (HTTP pipelining). */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>()

  /** False: as many wait on its connection as may. */
  admits(response: ServerResponse): boolean {
    if (response.socket !== null) return true
    const { socket } = response.req
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting >= MAX_PIPELINED) return false
    this.#waiting.set(socket, waiting + 1)
    response.once('socket', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1))
    return true
  }
}
