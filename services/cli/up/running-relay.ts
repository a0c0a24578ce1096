import { randomBytes } from 'node:crypto'
import { systemClock } from '@causeway/npamp/transports'
import type { ControlledRelay, LiveRelay, Refusal, Relay, RelayAddresses } from '@causeway/relay'
import { type ConfigHandler, inProcessConfigChannel } from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import type { CliHost, RelayModule } from '../host.ts'
import packageFile from '../package.json' with { type: 'json' }

export interface RunningRelayOptions {
  /** `namespace/name`. */
  readonly name: string
  readonly module: RelayModule
  /** The control plane of this process. */
  readonly serve: ConfigHandler
  readonly environment: CliHost['environment']
  readonly logger: Logger
  readonly controlLogger: Logger
  /** A change has been put into force, all but what is refused. Not for the first configuration. */
  readonly onChanged: (relay: RunningRelay, refusals: readonly Refusal[]) => void
}

/** A relay of this process, which is told its configuration as any other relay is. */
export class RunningRelay {
  readonly name: string
  readonly #relay: Relay
  readonly #options: RunningRelayOptions
  readonly #first = Promise.withResolvers<readonly Refusal[]>()
  #controlled: ControlledRelay | undefined
  #isConfigured = false

  /** It has no configuration and does nothing yet. */
  constructor(options: RunningRelayOptions) {
    const { name, module, environment, logger } = options
    this.name = name
    this.#options = options
    this.#relay = module.createRelay({ name, environment, logger })
  }

  /** Empty before the first configuration. */
  get peerHandle(): string {
    return this.#relay.peerHandle ?? ''
  }

  get addresses(): RelayAddresses {
    return this.#relay.addresses
  }

  /** Resolves when the first configuration is in force, with what of it is not. */
  async start(): Promise<readonly Refusal[]> {
    const { name, module, serve, controlLogger } = this.#options
    const [namespace = '', relay = ''] = name.split('/')
    const identity = { namespace, relay, uid: undefined, certificateEndsAtMs: undefined }
    this.#controlled = await module.startControlledRelay({
      instance: {
        namespace,
        relay,
        ordinal: 0,
        bootId: module.newBootId(Date.now(), randomBytes(10)),
        softwareVersion: packageFile.version,
      },
      live: this.#observed(),
      channels: [inProcessConfigChannel(serve, identity)],
      folder: undefined,
      clock: systemClock(),
      wallNow: Date.now,
      random: Math.random,
      logger: controlLogger,
      metrics: this.#relay.metrics,
    })
    return await this.#first.promise
  }

  drain(): Promise<void> {
    return this.#controlled?.drain() ?? this.#relay.drain()
  }

  stop(): Promise<void> {
    return this.#controlled?.stop() ?? this.#relay.stop()
  }

  killServers(): void {
    this.#relay.killServers()
  }

  /** The relay, and a look at what becomes of each change. */
  #observed(): LiveRelay {
    const relay = this.#relay
    return {
      status: relay.status,
      ready: () => relay.ready(),
      denyUnlessReadOnly: (denied) => relay.denyUnlessReadOnly(denied),
      drain: (limitMs) => relay.drain(limitMs),
      stop: () => relay.stop(),
      killServers: () => relay.killServers(),
      onRefusalsChanged: (callback) => relay.onRefusalsChanged(callback),
      apply: async (change) => {
        const refusals = await relay.apply(change)
        if (this.#isConfigured) this.#options.onChanged(this, refusals)
        else if (change.upserts.length > 0) {
          this.#isConfigured = true
          this.#first.resolve(refusals)
        }
        return refusals
      },
    }
  }
}
