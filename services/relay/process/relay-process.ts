import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '@causeway/npamp/transports'
import { grpcConfigChannel, type TlsMaterial, type WatchedTls, watchTls } from '@causeway/rpc'
import { type Admin, type Logger, type Metrics, type Readiness, startAdmin } from '@causeway/telemetry'
import { openStateFolder } from '../config-store/state/node-state-folder.ts'
import { lockState, type StateLock } from '../config-store/state/state-lock.ts'
import type { LiveRelay } from '../control/contract.ts'
import { type ControlledRelay, startControlledRelay } from '../control/controlled-relay.ts'
import { type Settings, tlsFiles } from './settings.ts'

export interface RelayProcessOptions {
  readonly settings: Settings
  readonly live: LiveRelay & { metricsText(): Promise<string> }
  readonly bootId: string
  readonly softwareVersion: string
  readonly clock: Clock
  /** Unix milliseconds. */
  readonly wallNow: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
}

/** The folder of the relay's own under that of the process; the rooms of the relay have others. */
const CONFIGURATION_FOLDER = 'configuration'

/**
 * A relay as a process of its own: health and metrics, certificates, the volume, and control planes. Rejects with
 * StateLockedError where another process uses the same folder, and where a folder or address cannot be used; what was
 * opened before is closed again then.
 */
export async function startRelayProcess(options: RelayProcessOptions): Promise<RelayProcess> {
  const relay = new RelayProcess(options)
  try {
    await relay.start()
  } catch (error) {
    await relay.stop()
    throw error
  }
  return relay
}

export class RelayProcess {
  readonly #options: RelayProcessOptions
  #lock: StateLock | undefined
  #admin: Admin | undefined
  #tls: WatchedTls | undefined
  #relay: ControlledRelay | undefined
  #bundleSha256: Uint8Array | undefined
  #isDraining = false
  #ended: Promise<void> | undefined

  constructor(options: RelayProcessOptions) {
    this.#options = options
  }

  /** Of health and metrics. */
  get adminAddress(): Admin['address'] | undefined {
    return this.#admin?.address
  }

  async start(): Promise<void> {
    const { settings, live } = this.#options
    this.#lock = await lockState(settings.stateFolder)
    const folder = await openStateFolder(join(settings.stateFolder, CONFIGURATION_FOLDER))
    // Before the configuration is in force, so that whoever starts it sees that it lives.
    const text = (): Promise<string> => live.metricsText()
    this.#admin = await startAdmin({ ...settings.admin, metrics: { text }, ready: () => this.ready() })
    this.#tls = await this.#watchTls()
    this.#relay = await startControlledRelay({
      ...this.#options,
      instance: {
        namespace: settings.namespace,
        relay: settings.name,
        ordinal: settings.ordinal,
        bootId: this.#options.bootId,
        softwareVersion: this.#options.softwareVersion,
      },
      channels: settings.controlPlanes.map((address) => this.#channel(address)),
      folder,
      trustBundleSha256: () => this.#bundleSha256,
    })
  }

  ready(): Readiness {
    if (this.#isDraining) return { ok: false, reasons: ['the relay is draining'] }
    return this.#relay?.ready() ?? { ok: false, reasons: ['the relay is starting'] }
  }

  /** Leaves in order: nothing new, what is open may end. Never rejects; ends with `stop`. */
  async drain(): Promise<void> {
    this.#isDraining = true
    await this.#relay?.drain()
    await this.stop()
  }

  /** Ends everything now. Never rejects. */
  stop(): Promise<void> {
    this.#isDraining = true
    this.#ended ??= this.#stop()
    return this.#ended
  }

  killServers(): void {
    this.#options.live.killServers()
  }

  async #stop(): Promise<void> {
    this.#tls?.close()
    await (this.#relay ?? this.#options.live).stop()
    await this.#admin?.close()
    await this.#lock?.release()
  }

  #watchTls(): Promise<WatchedTls> {
    const { settings, clock, logger } = this.#options
    return watchTls({
      files: tlsFiles(settings),
      onChange: (material) => this.#certificatesChanged(material),
      onProblem: (reason) => logger.warn({ reason }, 'the certificates towards the control plane cannot be used'),
      timers: clock,
    })
  }

  #certificatesChanged({ authorities }: TlsMaterial): void {
    this.#bundleSha256 = createHash('sha256').update(authorities).digest()
    this.#options.logger.info({}, 'there are new certificates towards the control plane')
    this.#relay?.certificatesChanged()
  }

  #channel(address: string) {
    const { serverName } = this.#options.settings
    return grpcConfigChannel({
      address,
      ...(serverName === undefined ? {} : { serverName }),
      tls: () => {
        const material = this.#tls?.current()
        if (material === undefined) throw new Error('there are none yet')
        return material
      },
    })
  }
}
