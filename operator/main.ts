import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type Clock,
  type Connection,
  fromKubeconfig,
  fromServiceAccount,
  KubeClient,
  LeaderElection,
  systemClock,
} from '@causeway/kube'
import { FIELD_MANAGERS, LEASES } from '@causeway/mesh-api'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import { createLogger, createMetrics, startAdmin } from '@causeway/telemetry'
import { Operator } from './operator.ts'
import { readSettings, type Settings, UsageError, usage } from './options.ts'

/** Exit codes: 2 for wrong flags, 1 for a term as leader that is over. */
async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env)
  const logger = createLogger({ level: settings.logLevel, fields: { program: 'operator' } })
  const metrics = createMetrics()
  const clock = systemClock()
  const connection = await connect(settings, clock)
  const instance = process.env.POD_NAME ?? process.env.HOSTNAME ?? hostname()
  const common = { connection, clock, fieldManager: FIELD_MANAGERS.operator }

  const election = new LeaderElection({
    client: new KubeClient(common),
    clock,
    random: Math.random,
    lease: { namespace: settings.installation.namespace, name: LEASES.operator },
    identity: `${instance}_${randomBytes(6).toString('hex')}`,
    acquired: () => operator.lead(),
    lost: (reason) => {
      logger.fatal({ err: reason }, 'no longer the leader')
      process.exit(1)
    },
    failing: (error) => logger.warn({ err: error }, 'the lease cannot be renewed'),
    holderChanged: (holder) => logger.info({ holder }, 'leader'),
  })
  const client = new KubeClient({
    ...common,
    // CONTROL section 4: a Lease does not fence, but who knows that its term is over writes nothing.
    mayWrite: () => election.isLeader,
    onRequest: ({ verb, type, code }) =>
      metrics.add('causeway_operator_requests_total', 1, { verb, resource: type.plural, code }),
  })
  const { lives, identitySettleMs, deletionHoldMs, watchSilenceMs, installation, watched } = settings
  const operator = new Operator({
    client,
    clock,
    random: Math.random,
    provider: nodeProvider(),
    logger,
    metrics,
    installation,
    watched,
    instance,
    timing: { lives, identitySettleMs, deletionHoldMs, watchSilenceMs },
  })
  const ready = () =>
    operator.isSynced ? { ok: true, reasons: [] } : { ok: false, reasons: ['objects are being listed'] }
  const admin = await startAdmin({ ...settings.admin, metrics, ready })
  logger.info({ admin: admin.address, watched, installation: installation.name }, 'operator')
  operator.start()
  election.start()

  const stop = async () => {
    await operator.stop()
    await election.stop()
    await admin.close()
    connection.close()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop().then(() => process.exit(0)))
}

async function connect({ kubeconfig }: Settings, clock: Clock): Promise<Connection> {
  if (kubeconfig !== undefined) return fromKubeconfig({ file: kubeconfig })
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  if (host === undefined || port === undefined)
    throw new UsageError('there is no --kubeconfig, and this is no pod of a cluster')
  return fromServiceAccount({ clock, host, port })
}

main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n\n${usage()}\n`)
  process.exit(2)
})
