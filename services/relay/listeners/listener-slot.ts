import { ConfigProblem } from '../config/problem.ts'
import type { ListenAddress } from '../contract.ts'

/** How listeners of one kind are opened, changed and closed. */
export interface ListenerKind<Config, Handle> {
  /** As in `spec.listeners`. */
  readonly name: 'npamp' | 'mcp' | 'admin'
  /** Rejects when the address cannot be had, or what it is opened with cannot be used. */
  open(config: Config): Promise<Handle>
  /** Changes an open listener; 'reopen' where that needs another one. Rejects as `open` does. */
  change(handle: Handle, before: Config, after: Config): Promise<ListenerChange | 'reopen'>
  /** Stops accepting at once. What is open on it may go on for a while; it never rejects. */
  close(handle: Handle): Promise<void>
}

/** Prepared so far that nothing can go wrong any more. */
export interface ListenerChange {
  commit(): void
  rollback(): Promise<void>
}

interface Open<Config, Handle> {
  readonly config: Config
  readonly handle: Handle
}

/**
 * The place of one listener of a relay. A change is prepared, whatever of it can fail, and then comes into force or not: another
 * address is listened on before the one that there was is left (CONTROL section 3).
 */
export class ListenerSlot<Config extends ListenAddress, Handle extends { readonly address: ListenAddress }> {
  readonly #kind: ListenerKind<Config, Handle>
  #open: Open<Config, Handle> | undefined
  /** What is in force and could not be opened again; tried at every chance. */
  #lost: Config | undefined

  constructor(kind: ListenerKind<Config, Handle>) {
    this.#kind = kind
  }

  get address(): ListenAddress | undefined {
    return this.#open?.handle.address
  }

  /** Rejects with ConfigProblem ListenFailed; what there was is open as before then. */
  async prepare(after: Config | undefined): Promise<ListenerChange> {
    const before = this.#open
    if (after === undefined) return this.#closing(before)
    if (before === undefined || !sharesPlace(before, after)) {
      return this.#replacing(before, await this.#orAgain(this.#lost, () => this.#tryOpen(after)))
    }
    const change = await this.#trying(() => this.#kind.change(before.handle, before.config, after))
    return change === 'reopen' ? await this.#reopening(before, after) : this.#changing(change, before, after)
  }

  /** Resolves when nothing listens there any more. */
  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined) await this.#kind.close(open.handle)
  }

  #closing(before: Open<Config, Handle> | undefined): ListenerChange {
    const commit = (): void => {
      this.#open = undefined
      this.#lost = undefined
      if (before !== undefined) void this.#kind.close(before.handle)
    }
    return { commit, rollback: async () => {} }
  }

  #replacing(before: Open<Config, Handle> | undefined, opened: Open<Config, Handle>): ListenerChange {
    return {
      commit: () => {
        this.#open = opened
        this.#lost = undefined
        if (before !== undefined) void this.#kind.close(before.handle)
      },
      rollback: () => this.#kind.close(opened.handle),
    }
  }

  #changing(change: ListenerChange, { handle }: Open<Config, Handle>, config: Config): ListenerChange {
    return {
      commit: () => {
        change.commit()
        this.#open = { config, handle }
      },
      rollback: () => change.rollback(),
    }
  }

  /** The same address, which only one listener can have: the old one has to go first, and comes back where the new one cannot. */
  async #reopening(before: Open<Config, Handle>, after: Config): Promise<ListenerChange> {
    void this.#kind.close(before.handle)
    const opened = await this.#orAgain(before.config, () => this.#tryOpen(after))
    return {
      commit: () => {
        this.#open = opened
      },
      rollback: async () => {
        await this.#kind.close(opened.handle)
        await this.#again(before.config)
      },
    }
  }

  /** Where it fails, what was in force is there again, as far as it can be. */
  async #orAgain<Result>(config: Config | undefined, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (config !== undefined) await this.#again(config)
      throw error
    }
  }

  async #again(config: Config): Promise<void> {
    this.#open = await this.#tryOpen(config).catch(() => undefined)
    this.#lost = this.#open === undefined ? config : undefined
  }

  async #tryOpen(config: Config): Promise<Open<Config, Handle>> {
    return { config, handle: await this.#trying(() => this.#kind.open(config)) }
  }

  async #trying<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new ConfigProblem('ListenFailed', `spec.listeners.${this.#kind.name}`, message)
    }
  }
}

/** Whether both cannot be open at a time; a port that the system chose is kept. */
function sharesPlace(
  { config, handle }: Open<ListenAddress, { readonly address: ListenAddress }>,
  after: ListenAddress,
): boolean {
  if (after.port === 0) return config.port === 0 && config.host === after.host
  return config.port === after.port || handle.address.port === after.port
}
