import { join } from 'node:path'
import type { Clock } from '@causeway/kube'
import { CONTROL_PLANE_SERVICE_NAME, DATA_KEYS } from '@causeway/mesh-api'
import {
  type ConfigHandler,
  type GrpcServer,
  grpcStatusChannel,
  type StatusChannel,
  type StatusHandler,
  startGrpcServer,
  type TlsMaterial,
  type WatchedTls,
  watchTls,
} from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import type { Address } from '../options.ts'

export interface GrpcServersOptions {
  /** With tls.crt, tls.key and ca.crt. */
  readonly tlsFolder: string
  readonly trustDomain: string
  /** The control plane's own. */
  readonly namespace: string
  readonly listen: Address
  readonly statusListen: Address
  readonly config: ConfigHandler
  readonly status: StatusHandler
  readonly clock: Clock
  readonly logger: Logger
  /** They cannot listen, which is not because of certificates. */
  readonly failed: (error: unknown) => void
}

/**
 * The listeners of relays and of other replicas. They open as soon as there is a certificate, which may come long after
 * the process (CONTROL section 2), and use a new one as soon as it is there.
 */
export class GrpcServers {
  readonly #options: GrpcServersOptions
  #tls: WatchedTls | undefined
  #opening: Promise<void> | undefined
  #config: GrpcServer | undefined
  #status: GrpcServer | undefined

  constructor(options: GrpcServersOptions) {
    this.#options = options
  }

  /** Undefined until they are open. */
  get addresses(): { readonly config: Address; readonly status: Address } | undefined {
    if (this.#config === undefined || this.#status === undefined) return undefined
    return { config: this.#config.address, status: this.#status.address }
  }

  /** Begins to look for the certificate. */
  async start(): Promise<void> {
    const { tlsFolder, clock, logger } = this.#options
    const file = (name: string): string => join(tlsFolder, name)
    this.#tls = await watchTls({
      files: {
        certificateChain: file(DATA_KEYS.certificate),
        key: file(DATA_KEYS.key),
        authorities: file(DATA_KEYS.authorities),
      },
      timers: clock,
      onChange: (tls) => this.#use(tls),
      onProblem: (reason) => logger.warn({ folder: tlsFolder }, `the certificate cannot be used: ${reason}`),
    })
  }

  /** To the status listener of another replica, which has the same certificate. */
  readonly channelTo = (address: string): StatusChannel =>
    grpcStatusChannel({
      address,
      serverName: serviceName(this.#options.namespace),
      tls: () => {
        const tls = this.#tls?.current()
        if (tls === undefined) throw new Error('there is no certificate yet')
        return tls
      },
    })

  /** Takes no more streams, and ends those that are left after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#tls?.close()
    await this.#opening
    await Promise.all([this.#config?.close(graceMs), this.#status?.close(graceMs)])
  }

  #use(tls: TlsMaterial): void {
    this.#opening ??= this.#open(tls)
    this.#config?.renewTls(tls)
    this.#status?.renewTls(tls)
  }

  async #open(tls: TlsMaterial): Promise<void> {
    const { listen, statusListen, trustDomain, namespace, config, status, logger, failed } = this.#options
    try {
      this.#config = await startGrpcServer({ ...listen, tls, config: { trustDomain, handler: config } })
      const clientDnsNames = [serviceName(namespace)]
      this.#status = await startGrpcServer({ ...statusListen, tls, status: { clientDnsNames, handler: status } })
      logger.info({ ...this.addresses }, 'listening for relays and replicas')
      // What came meanwhile.
      const newest = this.#tls?.current()
      if (newest !== undefined && newest !== tls) this.#use(newest)
    } catch (error) {
      failed(error)
    }
  }
}

/** In the certificate of the control plane. */
function serviceName(namespace: string): string {
  return `${CONTROL_PLANE_SERVICE_NAME}.${namespace}.svc`
}
