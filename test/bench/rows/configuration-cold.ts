import { grpcConfigChannel, startGrpcServer } from '@causeway/rpc'
import { TestAuthority, TRUST_DOMAIN } from '../../fixtures/control/test-authority.ts'
import { bootId, ScriptedInstance } from '../../fixtures/control-plane/instance.ts'
import { told } from '../../fixtures/control-plane/objects.ts'
import { controlPlaneOf, meshOf } from '../parts/control-plane.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const FEW = { objects: 300, relays: 5 }
const MANY = { objects: 3_000, relays: 50 }

export const configurationCold: Bench = {
  name: 'configuration-cold',
  about: 'a control plane without anything until 50 relays, over mutual TLS, have accepted all of 3,000 objects',
  async run({ rounds, note }) {
    const authority = await TestAuthority.create()
    await coldMs(authority, FEW)
    const found: { few: number; many: number }[] = []
    for (let round = 0; round < rounds; round++) {
      found.push({ few: await coldMs(authority, FEW), many: await coldMs(authority, MANY) })
      note(`round ${round + 1} of ${rounds}`)
    }
    const perObject = ({ few, many }: { few: number; many: number }): number =>
      many / MANY.objects / (few / FEW.objects)
    return [
      {
        name: 'cold start at 3,000 objects and 50 streams, per object, against 300 and 5',
        figure: medianInterval(found.map(perObject)),
        unit: 'x',
        bar: { atMost: 1.5 },
        absolute: {
          '300 objects, 5 streams, ms': median(found.map(({ few }) => few)),
          '3,000 objects, 50 streams, ms': median(found.map(({ many }) => many)),
        },
      },
    ]
  },
}

/** From the first object to the last acceptance; certificates are there before. */
async function coldMs(authority: TestAuthority, { objects, relays }: typeof MANY): Promise<number> {
  const names = Array.from({ length: relays }, (_, index) => `r${index}`)
  const tls = await Promise.all(names.map((name) => authority.relay('default', name)))
  const serverTls = await authority.controlPlane()
  const mesh = meshOf(relays, objects)

  const startedAt = performance.now()
  const { plane } = controlPlaneOf(told(1, mesh), 20)
  const config = { trustDomain: TRUST_DOMAIN, handler: plane.serve }
  const server = await startGrpcServer({ host: '127.0.0.1', port: 0, tls: serverTls, config })
  try {
    const address = `127.0.0.1:${server.address.port}`
    await Promise.all(
      names.map((relay, index) => {
        const material = tls[index] ?? serverTls
        const channel = grpcConfigChannel({ address, serverName: 'localhost', tls: () => material })
        return new ScriptedInstance(channel).hello({ relay, bootId: bootId(index) }).accepted()
      }),
    )
    while (plane.instances.size < relays) await new Promise(setImmediate)
    return performance.now() - startedAt
  } finally {
    await plane.close()
    await server.close(0)
  }
}
