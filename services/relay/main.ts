import { randomBytes } from 'node:crypto'
import os from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@causeway/npamp/transports'
import { createLogger, createMetrics } from '@causeway/telemetry'
import { newBootId } from './control/boot-id.ts'
import { createRelay } from './live-relay.ts'
import packageFile from './package.json' with { type: 'json' }
import { startRelayProcess } from './process/relay-process.ts'
import { readSettings, UsageError, usage } from './process/settings.ts'

/** Exit codes: 2 for wrong flags, 1 for what cannot be started. */
async function main(): Promise<void> {
  const { env } = process
  const settings = readSettings(process.argv.slice(2), env, env.HOSTNAME ?? os.hostname())
  const name = `${settings.namespace}/${settings.name}`
  const logger = createLogger({ level: settings.logLevel, fields: { relay: name, ordinal: settings.ordinal } })
  const metrics = createMetrics()
  const clock = systemClock()
  const live = createRelay({
    name,
    logger,
    environment: env,
    metrics,
    mounts: settings.mountsFolder,
    stateFolder: join(settings.stateFolder, 'peers'),
    replica: `${settings.name}-${settings.ordinal}`,
    maxRetiringMs: settings.retireAfterMs,
    clock,
  })
  process.on('exit', () => live.killServers())
  const relay = await startRelayProcess({
    settings,
    live,
    bootId: newBootId(Date.now(), randomBytes(10)),
    softwareVersion: packageFile.version,
    clock,
    wallNow: Date.now,
    random: Math.random,
    logger,
    metrics,
  })
  logger.info({ admin: relay.adminAddress, version: packageFile.version }, 'relay process started')

  let exitCode: 0 | 130 | undefined
  const leave = (signal: NodeJS.Signals): void => {
    logger.info({ signal }, exitCode === undefined ? 'draining' : 'stopping now')
    if (exitCode === undefined) {
      exitCode = 0
      void relay.drain().then(() => process.exit(exitCode))
    } else {
      // Whoever asks twice does not want to wait.
      exitCode = 130
      void relay.stop()
    }
  }
  process.on('SIGTERM', leave)
  process.on('SIGINT', leave)
  // Timers of the clock alone do not keep a process alive; the admin listener does, and goes last.
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${usage()}`)
    process.exit(2)
  }
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
})
