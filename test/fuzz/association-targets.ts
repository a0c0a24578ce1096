import { exchange, newPair } from '../bench/parts/association-pair.ts'
import type { Target } from './target.ts'

const text = (value: string) => new TextEncoder().encode(value)

/** Octets into a live association: it may end, it may not throw. */
export const ASSOCIATION_TARGETS: readonly Target[] = [
  {
    name: 'responder before its handshake',
    samples: [firstFlight()],
    run(octets) {
      const { responder } = newPair(0)
      responder.receive(octets, 0)
      while (responder.nextEvent() !== undefined);
      responder.transmit(0, Number.MAX_SAFE_INTEGER)
    },
  },
  {
    name: 'established association',
    samples: [text('NPAM'), firstFlight()],
    run(octets) {
      const pair = newPair(0)
      exchange(pair, 0)
      pair.responder.receive(octets, 0)
      while (pair.responder.nextEvent() !== undefined);
      pair.responder.transmit(0, Number.MAX_SAFE_INTEGER)
    },
  },
]

function firstFlight(): Uint8Array {
  return Buffer.concat(newPair(0).initiator.transmit(0, Number.MAX_SAFE_INTEGER))
}
