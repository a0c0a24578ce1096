import { type Clock, type Connection, fromKubeconfig, fromServiceAccount, systemClock } from '@causeway/kube'
import { createLogger, createMetrics, type Logger, startAdmin } from '@causeway/telemetry'
import { readSettings, type Settings, type SourceSettings, UsageError, usage } from './options.ts'
import { FilesReplica } from './replica/files-replica.ts'
import { Replica } from './replica/replica.ts'
import { keepHeapSmall } from './small-heap.ts'

/** Exit codes: 2 for wrong flags, 1 for what cannot go on, such as a term as leader that is over. */
async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env)
  keepHeapSmall()
  const logger = createLogger({ level: settings.logLevel, fields: { program: 'control-plane' } })
  const metrics = createMetrics()
  const failed = (error: unknown): void => {
    logger.fatal({ err: error }, 'this process cannot go on')
    process.exit(1)
  }
  const common = { settings, clock: systemClock(), random: Math.random, logger, metrics, failed }
  const replica = await open(common)
  const admin = await startAdmin({
    ...settings.admin,
    metrics,
    ready: () => replica.ready(),
    ...('documents' in replica ? { documents: replica.documents } : {}),
  })
  await replica.start()
  logger.info({ admin: admin.address }, 'control plane started')

  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    logger.info({}, 'stopping')
    replica.stop().then(
      () => process.exit(0),
      (error) => failed(error),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

interface Common {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: ReturnType<typeof createMetrics>
  readonly failed: (error: unknown) => void
}

async function open(common: Common): Promise<Replica | FilesReplica> {
  const { source } = common.settings
  if (source.place === 'files') return FilesReplica.open({ ...common, source })
  return new Replica({ ...common, source, connection: await connect(source, common.clock) })
}

function connect({ kubeconfig }: Extract<SourceSettings, { place: 'cluster' }>, clock: Clock): Promise<Connection> {
  if (kubeconfig !== undefined) return fromKubeconfig({ file: kubeconfig })
  const host = process.env.KUBERNETES_SERVICE_HOST ?? ''
  return fromServiceAccount({ clock, host, port: process.env.KUBERNETES_SERVICE_PORT ?? '' })
}

main().catch((error) => {
  const isUsage = error instanceof UsageError
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(isUsage ? `${text}\n\n${usage()}\n` : `causeway control plane: ${text}\n`)
  process.exit(isUsage ? 2 : 1)
})
