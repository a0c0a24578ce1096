import { create } from '@bufbuild/protobuf'
import {
  type Delta,
  DeltaErrorCode,
  type DeltaReply,
  DeltaReplySchema,
  type Hello,
  HelloSchema,
  type Refusal as RefusalMessage,
  type Relay,
  resourceKindNumber,
} from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import { checkDelta, type DeltaProblem, isProblem } from './check-delta.ts'
import type { LiveConfiguration, ResourceId } from './contract.ts'
import { decodeResource, isDecoded } from './decode.ts'
import { type CheckedDelta, HeldSet, keyOf } from './held-set.ts'
import { COMPACT_AFTER_OCTETS, MAX_LOG_OCTETS } from './limits.ts'
import type { LogDamage } from './log/delta-log.ts'
import { positionsOf } from './log/history.ts'
import { RefusalList } from './refusal-list.ts'
import { resourceIdOf } from './resource-id.ts'
import { SerialQueue } from './serial-queue.ts'
import type { StateFolder } from './state/state-folder.ts'
import { noVolume, openVolume, type Volume } from './volume.ts'

export interface ConfigStoreOptions {
  /** Undefined: nothing outlives the process. */
  readonly folder: StateFolder | undefined
  readonly live: LiveConfiguration
  readonly logger: Logger
  /** What is appended to the log at least before it is compacted. Default 1 MiB. */
  readonly compactAfterOctets?: number
}

/**
 * What a relay has been sent: held in memory, on the volume before it is acknowledged, and in force as far as it can be. One
 * change at a time.
 */
export class ConfigStore {
  /** The log on the volume could not be used, and was put aside; the store began with nothing. */
  readonly damage: LogDamage | undefined
  readonly #live: LiveConfiguration
  readonly #logger: Logger
  readonly #held: HeldSet
  readonly #volume: Volume
  readonly #refusals: RefusalList
  readonly #queue = new SerialQueue()
  #onRefusals: () => void = () => {}

  /** Rejects when the folder cannot be used. */
  static async open(options: ConfigStoreOptions): Promise<ConfigStore> {
    const held = new HeldSet()
    const { folder, logger, compactAfterOctets = COMPACT_AFTER_OCTETS } = options
    const limits = { maxOctets: MAX_LOG_OCTETS, compactAfterOctets }
    const { volume, damage } =
      folder === undefined ? { volume: noVolume(), damage: undefined } : await openVolume(folder, limits, held, logger)
    return new ConfigStore(options, held, volume, damage)
  }

  private constructor(options: ConfigStoreOptions, held: HeldSet, volume: Volume, damage: LogDamage | undefined) {
    this.damage = damage
    this.#live = options.live
    this.#logger = options.logger
    this.#held = held
    this.#volume = volume
    this.#refusals = new RefusalList(held)
    this.#live.onRefusalsChanged((refusals) => {
      this.#refusals.setLive(refusals)
      void this.#queue.run(() => this.#settle()).then(() => this.#onRefusals())
    })
  }

  /** Of everything that is held. */
  get size(): number {
    return this.#held.size
  }

  /** Of the log on the volume. */
  get logOctets(): number {
    return this.#volume.octets
  }

  /** Unix milliseconds at which a control plane answered last, as the volume knows; undefined: never. */
  get lastContactMs(): number | undefined {
    return this.#volume.lastContactMs
  }

  /** Puts into force what the volume holds: what was last, and then what had been sent and was not. */
  start(): Promise<void> {
    return this.#queue.run(async () => {
      const { inForce, unsettled } = this.#held.split()
      for (const upserts of [inForce, unsettled]) {
        if (upserts.length > 0) await this.#putIntoForce({ upserts, removals: [] })
      }
      if (this.#held.size > 0) await this.#settle()
    })
  }

  /** What a control plane must know to send the difference. */
  hello(): Pick<Hello, 'held' | 'positions'> {
    const held = [...this.#held.resources.values()].map(({ kind, name, version }) => {
      return { kind, name, version: Buffer.from(version, 'hex') }
    })
    const hello = create(HelloSchema, { held, positions: positionsOf(this.#held) })
    return { held: hello.held, positions: hello.positions }
  }

  /** Takes a Delta as a whole, or nothing of it; the reply says which, and what of all resources is not in force. */
  take(delta: Delta): Promise<DeltaReply> {
    return this.#queue.run(async () => {
      const checked = checkDelta(delta, this.#held)
      const problem = isProblem(checked) ? checked : await this.#record(delta)
      if (problem === undefined && !isProblem(checked)) {
        this.#held.apply(checked)
        await this.#putIntoForce(checked)
        await this.#settle()
      }
      return this.#reply(delta.nonce, problem)
    })
  }

  /** The answer once more, after what is refused has changed. */
  replyAgain(nonce: bigint): DeltaReply {
    return this.#reply(nonce, undefined)
  }

  /** Everything that is not in force as it was sent last. */
  refusals(): readonly RefusalMessage[] {
    return this.#refusals.all()
  }

  /** The callback is called after that has changed by itself. */
  onRefusalsChanged(callback: () => void): void {
    this.#onRefusals = callback
  }

  /** The settings of a relay, as they are in force. */
  settings(relayName: string): Relay | undefined {
    const stored = this.#held.inForce(keyOf({ kind: resourceKindNumber('relay'), name: relayName }))
    const decoded = stored && decodeResource(stored)
    return decoded !== undefined && isDecoded(decoded) && decoded.kind === 'relay' ? decoded.message : undefined
  }

  /** A control plane answered; kept for the next start. */
  contact(atMs: number): Promise<void> {
    return this.#queue.run(() => this.#volume.contact(atMs))
  }

  /** Waits for what is under way. Nothing may be asked of it afterwards. */
  close(): Promise<void> {
    return this.#queue.run(() => this.#volume.close())
  }

  async #record(delta: Delta): Promise<DeltaProblem | undefined> {
    try {
      await this.#volume.record(delta)
      return undefined
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#logger.error({ reason: message }, 'a change of the configuration could not be written to the volume')
      return { code: DeltaErrorCode.NOT_STORED, message, kinds: [] }
    }
  }

  async #putIntoForce(change: Pick<CheckedDelta, 'upserts' | 'removals'>): Promise<void> {
    const upserts = this.#refusals.decode(change)
    const removals = change.removals.map(resourceIdOf).filter((id): id is ResourceId => id !== undefined)
    if (upserts.length > 0 || removals.length > 0) this.#refusals.setLive(await this.#live.apply({ upserts, removals }))
  }

  async #settle(): Promise<void> {
    const refused = this.#refusals.all()
    if (this.#held.settle(new Set(refused.map(keyOf)))) await this.#volume.verdict(refused)
    // Whoever waits for this change does not wait for that.
    void this.#queue.run(() => this.#volume.tidy())
  }

  #reply(nonce: bigint, problem: DeltaProblem | undefined): DeltaReply {
    const error = problem && { ...problem, kinds: [...problem.kinds] }
    return create(DeltaReplySchema, { nonce, refusals: [...this.#refusals.all()], ...(error && { error }) })
  }
}
