import type { Resources } from '@causeway/mesh-api'
import { RelayStartError, type RunningRelay, type startRelay } from '@causeway/relay'
import type { Logger } from '@causeway/telemetry'

export interface StartFailure {
  readonly relayName: string
  readonly error: RelayStartError
}

/** Starts the relays one after the other; if any of them fails, tries the rest, stops all and answers every failure. */
export async function startAll(options: {
  readonly resources: Resources
  readonly relayNames: readonly string[]
  readonly logger: Logger
  readonly startRelay: typeof startRelay
}): Promise<{ relays: readonly RunningRelay[] } | { failures: readonly StartFailure[] }> {
  const relays: RunningRelay[] = []
  const failures: StartFailure[] = []
  for (const relayName of options.relayNames) {
    try {
      const logger = options.logger.child({ relay: relayName })
      relays.push(await options.startRelay({ resources: options.resources, relayName, logger }))
    } catch (error) {
      if (!(error instanceof RelayStartError)) throw error
      failures.push({ relayName, error })
    }
  }
  if (failures.length === 0) return { relays }
  await Promise.all(relays.map((relay) => relay.stop()))
  return { failures }
}
