import type { Backend } from './backends/contract.ts'
import type { BackendConfig } from './config/relay-config.ts'
import type { LocalTarget, LocalTargets } from './mesh/local-targets.ts'

/** The backends of this relay by the names that peers use, and who may use them (CONTROL section 1). */
export class WireNames implements LocalTargets {
  readonly #byName = new Map<string, { readonly target: LocalTarget; readonly peers: ReadonlySet<string> }>()

  constructor(configs: readonly BackendConfig[], backends: ReadonlyMap<string, Backend>) {
    for (const { name, wireName, peers } of configs) {
      const target = backends.get(name)
      if (target !== undefined) this.#byName.set(wireName, { target, peers })
    }
  }

  find(wireName: string, peerName: string): LocalTarget | undefined {
    const entry = this.#byName.get(wireName)
    return entry?.peers.has(peerName) ? entry.target : undefined
  }
}
