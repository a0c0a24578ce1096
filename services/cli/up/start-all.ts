import type { Resources } from '@causeway/mesh-api'
import type { RelayStartError, RunningRelay } from '@causeway/relay'
import type { Logger } from '@causeway/telemetry'
import type { CliHost, RelayModule } from '../host.ts'

export interface StartFailure {
  readonly relayName: string
  readonly error: RelayStartError
}

export interface StartOptions {
  readonly resources: Resources
  readonly relayNames: readonly string[]
  readonly environment: CliHost['environment']
  readonly logger: Logger
  /** For each as soon as it runs, though another may still fail. */
  readonly onStarted: (relay: RunningRelay) => void
}

/** Starts the relays one after the other; if any of them fails, tries the rest, stops all and answers every failure. */
export async function startAll(
  { resources, relayNames, environment, logger, onStarted }: StartOptions,
  { startRelay, RelayStartError }: RelayModule,
): Promise<{ relays: readonly RunningRelay[] } | { failures: readonly StartFailure[] }> {
  const relays: RunningRelay[] = []
  const failures: StartFailure[] = []
  for (const relayName of relayNames) {
    try {
      const relay = await startRelay({
        resources,
        relayName,
        environment,
        logger: logger.child({ relay: relayName }),
      })
      onStarted(relay)
      relays.push(relay)
    } catch (error) {
      if (!(error instanceof RelayStartError)) throw error
      failures.push({ relayName, error })
    }
  }
  if (failures.length === 0) return { relays }
  await Promise.all(relays.map((relay) => relay.stop()))
  return { failures }
}
