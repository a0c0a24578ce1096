import type { RouteContext } from '@causeway/npamp'
import { FarClient, type FarClientHost } from './far-client.ts'

/** The clients that one peer has in sessions here, as far as they wait for room in the association's send queue. */
export class FarClients {
  readonly #host: FarClientHost
  readonly #waiting = new Set<FarClient>()

  constructor(host: Omit<FarClientHost, 'onWaiting'>) {
    this.#host = { ...host, onWaiting: (client) => this.#waiting.add(client) }
  }

  /** `route`: undefined where the peer cannot be told a session. */
  create(route: RouteContext | undefined): FarClient {
    return new FarClient(route, this.#host)
  }

  /** The queue has room, as long as it has. */
  drained(): void {
    for (const client of [...this.#waiting]) {
      if (this.#host.queueFull()) return
      if (this.#waiting.delete(client)) client.roomAgain()
    }
  }

  close(): void {
    this.#waiting.clear()
  }
}
