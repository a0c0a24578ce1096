import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '@causeway/npamp/transports'
import { createRelay, newBootId, startControlledRelay } from '@causeway/relay'
import { grpcConfigChannel, readTls } from '@causeway/rpc'
import { createLogger, createMetrics } from '@causeway/telemetry'
import { serveParent } from '../../fixtures/process/child.ts'
import { AcceptanceTap, type AcceptedRoute } from './acceptance-tap.ts'

/**
 * Relays of a control plane, in one process. Arguments: host:port of the control plane, a namespace, and for each relay the
 * folder of its certificate and of what is mounted, whose last part is the relay's name.
 */
const [address = '', namespace = '', ...folders] = process.argv.slice(2)
let accepted: AcceptedRoute[] = []
const relays = await Promise.all(folders.map(start))
serveParent(
  { pid: process.pid },
  {
    ready: () => relays.map((relay) => relay.ready()),
    /** What has been accepted since it was asked last. */
    accepted: () => {
      const taken = accepted
      accepted = []
      return taken
    },
  },
)

async function start(folder: string): Promise<Awaited<ReturnType<typeof startControlledRelay>>> {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  const file = (part: string): string => join(folder, part)
  const tls = await readTls({ certificateChain: file('tls.crt'), key: file('tls.key'), authorities: file('ca.crt') })
  const channel = grpcConfigChannel({ address, serverName: 'localhost', tls: () => tls })
  const logger = createLogger({ level: 'silent' })
  const metrics = createMetrics()
  return startControlledRelay({
    instance: {
      namespace,
      relay: name,
      ordinal: 0,
      bootId: newBootId(Date.now(), randomBytes(10)),
      softwareVersion: '0',
    },
    live: createRelay({ name: `${namespace}/${name}`, mounts: folder, logger, metrics }),
    channels: [new AcceptanceTap(channel, (route) => accepted.push(route))],
    folder: undefined,
    clock: systemClock(),
    wallNow: Date.now,
    random: Math.random,
    logger,
    metrics,
  })
}
