import { toBinary } from '@bufbuild/protobuf'
import { DeltaSchema } from '@causeway/rpc'
import type { ControlPlane } from '../../../services/control-plane/control-plane.ts'
import { ScriptedInstance } from '../../fixtures/control-plane/instance.ts'
import { aRoute, told } from '../../fixtures/control-plane/objects.ts'
import type { ScriptedSource } from '../../fixtures/control-plane/running.ts'
import { controlPlaneOf, meshOf } from '../parts/control-plane.ts'
import type { Bench, Row } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const FEW = 10
const MANY = 10_000
const CHANGES = 200
const WARM_UP_CHANGES = 300

interface Side {
  readonly plane: ControlPlane
  readonly source: ScriptedSource
  readonly instance: ScriptedInstance
}

interface Cost {
  /** Median of all changes. */
  readonly ms: number
  readonly octets: number
}

export const configurationChange: Bench = {
  name: 'configuration-change',
  about: 'what one change costs a control plane and its relay beside 10 and beside 10,000 objects',
  async run({ rounds, note }) {
    const [small, large] = [await open(FEW), await open(MANY)]
    try {
      for (const side of [small, large]) await cost(side, WARM_UP_CHANGES)
      const found: (readonly [Cost, Cost])[] = []
      for (let round = 0; round < rounds; round++) {
        found.push([await cost(small, CHANGES), await cost(large, CHANGES)])
        note(`round ${round + 1} of ${rounds}`)
      }
      const rows: readonly Row[] = [
        {
          name: `median time of ${CHANGES} changes at 10,000 objects, against 10`,
          figure: medianInterval(found.map(([few, many]) => many.ms / few.ms)),
          unit: 'x',
          bar: { atMost: 1.5 },
          absolute: {
            'at 10, ms': median(found.map(([few]) => few.ms)),
            'at 10,000, ms': median(found.map(([, many]) => many.ms)),
          },
        },
        {
          name: 'octets of a Delta of one change at 10,000 objects, against 10',
          figure: medianInterval(found.map(([few, many]) => many.octets / few.octets)),
          unit: 'x',
          bar: { atLeast: 1, atMost: 1 },
          absolute: { 'octets at 10,000': median(found.map(([, many]) => many.octets)) },
        },
      ]
      return rows
    } finally {
      await Promise.all([small.plane.close(), large.plane.close()])
    }
  },
}

/** One relay with so many objects, and one instance that has them. */
async function open(objects: number): Promise<Side> {
  const { plane, source } = controlPlaneOf(told(1_000_000, meshOf(1, objects)), 0)
  const identity = { namespace: 'default', relay: 'r0', uid: undefined, certificateEndsAtMs: undefined }
  const instance = new ScriptedInstance(plane.serve, identity).hello({ relay: 'r0' })
  await instance.accepted()
  return { plane, source, instance }
}

/** From the change of an object to what the instance is sent, one after the other. */
async function cost({ source, instance }: Side, changes: number): Promise<Cost> {
  const times: number[] = []
  let octets = 0
  for (let index = 0; index < changes; index++) {
    const change = told(1_000_001 + index, [
      aRoute('r0-t1', {
        relayRefs: [{ name: 'r0' }],
        path: `/changed-${(index % 10).toString()}`,
        transparent: { target: { backendRef: { name: 'r0-b0' } } },
      }),
    ])
    const startedAt = performance.now()
    source.tell(change)
    const delta = await instance.delta()
    times.push(performance.now() - startedAt)
    // Its number grows with the changes before it, and says nothing of the objects.
    octets = toBinary(DeltaSchema, { ...delta, nonce: 0n }).length
    instance.reply(delta.nonce)
    await settled()
  }
  return { ms: median(times), octets }
}

/** The reply has been taken. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
