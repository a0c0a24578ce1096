import { isDeepStrictEqual } from 'node:util'
import type { BackendHealth } from '../backends/contract.ts'
import type { BackendConfig, RelayLimits } from '../config/relay-config.ts'
import type { BackendContext } from '../create-backend.ts'
import type { CallTarget } from '../exchanges/contract.ts'
import type { LocalTarget, LocalTargets } from '../mesh/local-targets.ts'
import { BackendSlot } from './backend-slot.ts'
import { sameServer } from './same-server.ts'

export interface LocalBackendsOptions extends BackendContext {
  readonly limits: RelayLimits
  /** A session of a client of this relay is over. */
  readonly onSessionLost: (sessionId: string) => void
  readonly onHealthChanged: () => void
}

/** What is another one than before. */
export interface BackendChange {
  /** Which peers find it, and by which name. */
  readonly grants: boolean
  /** What stood there until now. */
  readonly server: boolean
}

/** The backends of one relay: by their names for its routes, and by wire names for the peers that may use them (CONTROL section 1). */
export class LocalBackends implements LocalTargets {
  readonly #options: LocalBackendsOptions
  readonly #slots = new Map<string, BackendSlot>()
  readonly #byWireName = new Map<string, BackendSlot>()
  /** Names of places whose backend was removed. */
  readonly #vacant = new Set<string>()
  #limits: RelayLimits

  constructor(options: LocalBackendsOptions) {
    this.#options = options
    this.#limits = options.limits
  }

  /** Puts one configuration into force; no two have one wire name. */
  set(config: BackendConfig): BackendChange {
    const slot = this.#slot(config.name)
    const before = slot.config
    this.#forgetWireName(slot)
    slot.set(config, this.#limits)
    this.#byWireName.set(config.wireName, slot)
    return {
      grants: before?.wireName !== config.wireName || !isDeepStrictEqual(before.peers, config.peers),
      server: before !== undefined && !sameServer(before, config),
    }
  }

  /** Its routes then lead nowhere, and no peer finds it. */
  remove(name: string): void {
    const slot = this.#slots.get(name)
    if (slot === undefined) return
    this.#forgetWireName(slot)
    slot.remove(this.#limits.drainMs)
    this.#vacant.add(name)
  }

  /** Lets go of places where no backend is and to which no route leads. */
  prune(isRouted: (name: string) => boolean): void {
    for (const name of this.#vacant) {
      const slot = this.#slots.get(name)
      if (slot?.isVacant !== true) this.#vacant.delete(name)
      else if (!isRouted(name)) {
        this.#vacant.delete(name)
        this.#slots.delete(name)
      }
    }
  }

  setLimits(limits: RelayLimits): void {
    this.#limits = limits
    for (const slot of this.#slots.values()) slot.setLimits(limits)
  }

  /** What a route to it calls, whether it is there or not: always the same for one name. */
  edgeTarget(name: string): CallTarget {
    return this.#slot(name).edgeTarget
  }

  find(wireName: string, peerName: string): LocalTarget | undefined {
    const slot = this.#byWireName.get(wireName)
    return slot?.config?.peers.has(peerName) ? slot : undefined
  }

  /** Of every backend that is configured. */
  *health(): Iterable<{ readonly name: string; readonly health: BackendHealth }> {
    for (const [name, { backend }] of this.#slots) if (backend !== undefined) yield { name, health: backend.health }
  }

  /** They bound it themselves: a process that has not ended by itself is killed within that time, and not left behind. */
  async close(): Promise<void> {
    await Promise.all([...this.#slots.values()].map((slot) => slot.close()))
  }

  kill(): void {
    for (const slot of this.#slots.values()) slot.kill()
  }

  #slot(name: string): BackendSlot {
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    const { onSessionLost, onHealthChanged, environment, clock, logger, metrics } = this.#options
    const slot = new BackendSlot({ name, onSessionLost, onHealthChanged, environment, clock, logger, metrics })
    this.#slots.set(name, slot)
    return slot
  }

  #forgetWireName(slot: BackendSlot): void {
    const wireName = slot.config?.wireName
    if (wireName !== undefined && this.#byWireName.get(wireName) === slot) this.#byWireName.delete(wireName)
  }
}
