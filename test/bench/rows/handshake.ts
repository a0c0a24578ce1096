import { PROTOCOL } from '@causeway/npamp'
import { exchange, type NewPair, pairsWith } from '../parts/association-pair.ts'
import { handshakeOperations, type Operation } from '../parts/handshake-operations.ts'
import type { Bench, Row } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const HANDSHAKES_PER_ROUND = 200
const WARM_UP_HANDSHAKES = 400

export const handshake: Bench = {
  name: 'handshake',
  about: 'both ends in memory, from nothing to Established, against all its operations run bare',
  async run({ rounds }) {
    // Nothing is sent behind the handshake: the peer's protocols are assumed, so that there is no HELLO to seal.
    const newPair = pairsWith({ protocols: [PROTOCOL.MCP], assumedProtocols: [PROTOCOL.MCP] })
    const operations = handshakeOperations()
    const found: { live: number; bare: number }[] = []
    interleaved(newPair, operations, WARM_UP_HANDSHAKES)
    for (let round = 0; round < rounds; round++) {
      found.push(interleaved(newPair, operations, HANDSHAKES_PER_ROUND))
    }
    return [rowOf(found, operations)]
  },
}

/** Microseconds of one handshake, turn by turn, so that both meet the same weather. */
function interleaved(
  newPair: NewPair,
  operations: readonly Operation[],
  times: number,
): { live: number; bare: number } {
  let [live, bare] = [0, 0]
  for (let count = 0; count < times; count++) {
    const started = performance.now()
    shakeHands(newPair)
    const between = performance.now()
    for (const { times: needed, run } of operations) for (let done = 0; done < needed; done++) run()
    live += between - started
    bare += performance.now() - between
  }
  return { live: (live * 1_000) / times, bare: (bare * 1_000) / times }
}

function shakeHands(newPair: NewPair): void {
  const pair = newPair(0)
  exchange(pair, 0)
  for (const { established } of [pair.initiator, pair.responder]) {
    if (established === undefined) throw new Error('the handshake did not complete')
  }
}

/** Median of one run. */
function microseconds({ run }: Operation): number {
  const times = Array.from({ length: 400 }, () => {
    const started = performance.now()
    run()
    return performance.now() - started
  })
  return median(times) * 1_000
}

function rowOf(found: readonly { live: number; bare: number }[], operations: readonly Operation[]): Row {
  return {
    name: 'handshake, both ends, against the sum of its operations',
    figure: medianInterval(found.map(({ live, bare }) => live / bare)),
    unit: 'x',
    bar: { atMost: 1.4 },
    absolute: {
      'handshake us': median(found.map((one) => one.live)),
      'operations us': median(found.map((one) => one.bare)),
      ...Object.fromEntries(operations.map((one) => [`us, ${one.times} times: ${one.name}`, microseconds(one)])),
    },
  }
}
