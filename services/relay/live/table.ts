import type { BackendConfig, RelaySettings, RouteConfig } from '../config/relay-config.ts'
import type { ResourceId } from '../config-store/contract.ts'
import type { PeerConfig } from '../mesh/peer-config.ts'

/** One resource, decoded, with its files read: what the rooms take. */
export type Table =
  | { readonly kind: 'relay'; readonly config: RelaySettings }
  | { readonly kind: 'peer'; readonly config: PeerConfig }
  | { readonly kind: 'backend'; readonly config: BackendConfig }
  | { readonly kind: 'route'; readonly config: RouteConfig }

/** What only one resource of a relay can have, each as a text. */
export function claimsOf(table: Table): readonly string[] {
  switch (table.kind) {
    case 'route':
      return [`path ${table.config.path}`]
    case 'backend':
      return [`name ${table.config.wireName}`]
    case 'peer':
      return table.config.identity.mode === 'any'
        ? ['handle any']
        : table.config.identity.handles.map((handle) => `handle ${handle}`)
    case 'relay':
      return []
  }
}

/** What a resource leads to. */
export function dependencyOf(table: Table): ResourceId | undefined {
  if (table.kind !== 'route') return undefined
  const { target } = table.config
  return 'backend' in target ? { kind: 'backend', name: target.backend } : { kind: 'peer', name: target.peer }
}

export function keyOf({ kind, name }: ResourceId): string {
  return `${kind} ${name}`
}
