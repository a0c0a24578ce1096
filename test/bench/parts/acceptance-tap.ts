import {
  type ConfigChannel,
  type ConfigStream,
  type Delta,
  type DeltaReply,
  decodeBody,
  resourceKindOf,
  type StreamConfigResponse,
} from '@causeway/rpc'
import { monotonicMs } from './monotonic.ts'

/** When a relay said that a route is in force by this path. */
export interface AcceptedRoute {
  /** `namespace/name`. */
  readonly name: string
  readonly path: string
  readonly atMs: number
}

/** Listens in on the streams of a channel. */
export class AcceptanceTap implements ConfigChannel {
  readonly target: string
  readonly #channel: ConfigChannel
  readonly #onAccepted: (route: AcceptedRoute) => void

  constructor(channel: ConfigChannel, onAccepted: (route: AcceptedRoute) => void) {
    this.target = channel.target
    this.#channel = channel
    this.#onAccepted = onAccepted
  }

  open(signal: AbortSignal): ConfigStream {
    const stream = this.#channel.open(signal)
    const deltas = new Map<bigint, Delta>()
    return {
      send: (request) => {
        if (request.message.case === 'reply') this.#replied(request.message.value, deltas)
        return stream.send(request)
      },
      writable: () => stream.writable(),
      received: noting(stream.received, deltas),
      closed: stream.closed,
      end: () => stream.end(),
      fail: (error) => stream.fail(error),
    }
  }

  #replied({ nonce, error, refusals }: DeltaReply, deltas: Map<bigint, Delta>): void {
    const delta = deltas.get(nonce)
    deltas.delete(nonce)
    if (delta === undefined || error !== undefined || refusals.length > 0) return
    const atMs = monotonicMs()
    for (const { kind, name, body } of delta.upserts) {
      if (resourceKindOf(kind) !== 'route') continue
      const decoded = decodeBody('route', body)
      if (typeof decoded === 'string') throw new TypeError(`a body of ${name} is ${decoded}`)
      if ('path' in decoded.message) this.#onAccepted({ name, path: decoded.message.path, atMs })
    }
  }
}

async function* noting(
  received: AsyncIterable<StreamConfigResponse>,
  deltas: Map<bigint, Delta>,
): AsyncIterable<StreamConfigResponse> {
  for await (const response of received) {
    if (response.message.case === 'delta') deltas.set(response.message.value.nonce, response.message.value)
    yield response
  }
}
