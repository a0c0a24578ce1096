import { randomBytes } from 'node:crypto'
import { closureOf } from '@causeway/mesh-api'
import {
  type Identity,
  IdentityFileError,
  mintIdentity,
  nodeProvider,
  readIdentityFile,
} from '@causeway/npamp/crypto/node'
import { createMetrics, type Logger } from '@causeway/telemetry'
import { readConfig } from './config/read-config.ts'
import { type RelayOptions, RelayStartError, type RunningRelay } from './contract.ts'
import { openRelay } from './open-relay.ts'

/** Starts one relay. Rejects with RelayStartError; what was opened before is closed again then. */
export async function startRelay(options: RelayOptions): Promise<RunningRelay> {
  const { resources, relayName, logger } = options
  const closure = closureOf(resources, relayName)
  if (closure === undefined) {
    throw new RelayStartError('NO_SUCH_RELAY', 'metadata.name', `there is no MeshRelay ${relayName}, or more than one`)
  }
  const environment = options.environment ?? process.env
  const config = await readConfig(closure, environment)
  const identity = await readIdentity(closure.relay.spec.identity.keyFile, logger)
  return await openRelay({
    config,
    environment,
    identity: {
      provider: nodeProvider(),
      key: identity.key,
      peerHandle: identity.peerHandle,
      replica: config.replica ?? randomBytes(16).toString('hex'),
      bootId: randomBytes(8),
    },
    logger,
    metrics: options.metrics ?? createMetrics(),
  })
}

async function readIdentity(keyFile: string | undefined, logger: Logger): Promise<Identity> {
  if (keyFile === undefined) return mintIdentity()
  try {
    const identity = await readIdentityFile(keyFile)
    for (const warning of identity.warnings) logger.warn({}, warning)
    return identity
  } catch (error) {
    if (!(error instanceof IdentityFileError)) throw error
    throw new RelayStartError('KEY_FILE', 'spec.identity.keyFile', error.message)
  }
}
