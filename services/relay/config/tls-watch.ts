import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger } from '@causeway/telemetry'
import { readMcpTls } from './mcp-listener.ts'
import type { McpTlsConfig, McpTlsMaterial } from './relay-config.ts'

export interface TlsWatchOptions {
  readonly tls: McpTlsConfig
  /** Takes new certificates into use; may throw, which leaves the last good ones. */
  readonly onChange: (material: McpTlsMaterial) => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Certificate and key change one after the other; a moment later both are there. */
const SETTLE_MS = 250

/**
 * Reads the certificate files of a listener again when they change. What cannot be used is told, and the last good ones stay.
 * It watches folders, because mounted Secrets and careful writers replace a file by another of its name.
 */
export class TlsWatch {
  readonly #options: TlsWatchOptions
  readonly #watchers: readonly FSWatcher[]
  #last: McpTlsMaterial
  #timer: unknown
  #closed = false

  constructor(options: TlsWatchOptions) {
    this.#options = options
    this.#last = options.tls.material
    const { certFile, keyFile, clientCaFile } = options.tls.files
    const folders = new Set([certFile, keyFile, clientCaFile].filter((file) => file !== undefined).map(dirname))
    this.#watchers = [...folders].flatMap((folder) => this.#watch(folder) ?? [])
  }

  close(): void {
    this.#closed = true
    this.#options.clock.clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
  }

  #watch(folder: string): FSWatcher | undefined {
    const { logger } = this.#options
    const failed = (error: unknown): undefined => {
      const reason = error instanceof Error ? error.message : String(error)
      logger.warn({ folder, reason }, 'certificates are not watched here; a change of them needs a restart')
    }
    try {
      return watch(folder, { persistent: false }, () => this.#soon()).on('error', failed)
    } catch (error) {
      return failed(error)
    }
  }

  #soon(): void {
    const { clock } = this.#options
    clock.clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = clock.setTimeout(() => void this.#readAgain(), SETTLE_MS)
  }

  async #readAgain(): Promise<void> {
    const { tls, onChange, logger } = this.#options
    try {
      const material = await readMcpTls(tls.files)
      if (this.#closed || same(material, this.#last)) return
      onChange(material)
      this.#last = material
      logger.info({}, 'the mcp listener has new certificates')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      logger.warn({ reason }, 'new certificates of the mcp listener cannot be used; the last ones stay')
    }
  }
}

function same(one: McpTlsMaterial, other: McpTlsMaterial): boolean {
  return equal(one.cert, other.cert) && equal(one.key, other.key) && equal(one.clientCa, other.clientCa)
}

function equal(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Buffer.compare(one, other) === 0
}
