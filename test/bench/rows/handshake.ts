import { PROTOCOL } from '@causeway/npamp'
import { exchange, type NewPair, pairsWith } from '../parts/association-pair.ts'
import { ownCpuMsOf } from '../parts/cpu.ts'
import { handshakeOperations, type Operation } from '../parts/handshake-operations.ts'
import type { Bench, Row } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

/** In a row, before the other side's turn: a tenth of a second. */
const HANDSHAKES = 250
const ROUND_FACTOR = 3
const WARM_UP_ROUNDS = 5

export const handshake: Bench = {
  name: 'handshake',
  about: 'both ends in memory, from nothing to Established, against all its operations run bare, in CPU time',
  async run({ rounds }) {
    // Nothing is sent behind the handshake: the peer's protocols are assumed, so that there is no HELLO to seal.
    const newPair = pairsWith({ protocols: [PROTOCOL.MCP], assumedProtocols: [PROTOCOL.MCP] })
    const operations = handshakeOperations()
    const found: { live: number; bare: number }[] = []
    for (let round = -WARM_UP_ROUNDS; round < rounds * ROUND_FACTOR; round++) {
      const one = measure(newPair, operations)
      if (round >= 0) found.push(one)
    }
    return [rowOf(found, operations)]
  },
}

function measure(newPair: NewPair, operations: readonly Operation[]): { live: number; bare: number } {
  const live = ownCpuMsOf(() => {
    for (let count = 0; count < HANDSHAKES; count++) shakeHands(newPair)
  })
  const bare = ownCpuMsOf(() => {
    for (let count = 0; count < HANDSHAKES; count++) runAll(operations)
  })
  return { live, bare }
}

function runAll(operations: readonly Operation[]): void {
  for (const { times, run } of operations) for (let done = 0; done < times; done++) run()
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
      'handshake, CPU us': median(found.map((one) => (one.live * 1_000) / HANDSHAKES)),
      'operations, CPU us': median(found.map((one) => (one.bare * 1_000) / HANDSHAKES)),
      ...Object.fromEntries(operations.map((one) => [`us, ${one.times} times: ${one.name}`, microseconds(one)])),
    },
  }
}
