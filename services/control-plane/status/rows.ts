import type { KindName } from '@causeway/mesh-api'
import type { ObjectState } from '../snapshot/object-state.ts'
import type { Concerned } from './concerned.ts'
import { programmingOf } from './conditions/programmed.ts'
import { truthOf } from './conditions/reachable.ts'
import { instanceKey } from './instance.ts'
import type { InstanceRow, Truth } from './object-status.ts'

/** CONTROL section 4: the detail of status lists so many instances, and counts them all. */
const MAX_ROWS = 32

/** As `handles` of it has room for. */
const MAX_HANDLES = 16

/**
 * `status.relays` of an object: those that differ or lag before those of which there is nothing to say. Of all that say the
 * same, one comes before the others: whoever waits for every instance (CONTROL sections 2 and 5) sees what any of them says.
 */
export function rowsOf(kind: KindName, state: ObjectState, concerned: readonly Concerned[]): readonly InstanceRow[] {
  const rows = concerned.map((one) => ({ key: instanceKey(one.instance), row: rowOf(kind, state, one) })).sort(byName)
  if (rows.length <= MAX_ROWS) return rows.map(({ row }) => row)
  const seen = new Set<string>()
  return rows
    .map((one) => ({ ...one, rank: rankOf(one.row, seen) }))
    .sort((a, b) => a.rank - b.rank || byName(a, b))
    .slice(0, MAX_ROWS)
    .sort(byName)
    .map(({ row }) => row)
}

function rankOf(row: InstanceRow, seen: Set<string>): number {
  const { namespace: _, instance: __, ...said } = row
  const text = JSON.stringify(said)
  if (seen.has(text)) return 1 + urgency(row)
  seen.add(text)
  return 0
}

function byName(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1
}

function urgency({ programmed, reachable }: InstanceRow): number {
  if (programmed !== 'True') return 0
  return reachable === 'False' ? 1 : 2
}

function rowOf(kind: KindName, state: ObjectState, one: Concerned): InstanceRow {
  const { namespace, relay } = one.instance
  return {
    namespace,
    relay,
    instance: one.label,
    observedGeneration: state.generation,
    ...programmingOf(one, state.placed?.resource.versionHex),
    ...more(kind, state, one),
  }
}

function more(
  kind: KindName,
  { placed }: ObjectState,
  { acceptance, status, peer, backend }: Concerned,
): Partial<InstanceRow> {
  switch (kind) {
    case 'MeshRelay':
      return {
        ...optional('peerHandle', status?.peerHandle === '' ? undefined : status?.peerHandle),
        ...optional('bundleSHA256', hexOrNothing(status?.trustBundleSha256)),
      }
    case 'MeshPeer': {
      const hasCurrent = acceptance?.refusal === undefined && acceptance?.versionHex === placed?.resource.versionHex
      const pinned = hasCurrent ? placed?.handles : undefined
      return {
        reachable: truthOf(peer?.reachable),
        ...optional('postQuantum', truth(peer?.postQuantum)),
        ...optional(
          'handles',
          pinned && [...new Set([...pinned, ...(peer?.pinnedSuccessors ?? [])])].slice(0, MAX_HANDLES),
        ),
      }
    }
    case 'MeshBackend':
      return { reachable: truthOf(backend?.reachable), ...optional('authorized', truth(backend?.authorized)) }
    default:
      return {}
  }
}

function optional<Name extends keyof InstanceRow>(
  name: Name,
  value: InstanceRow[Name] | undefined,
): Partial<InstanceRow> {
  return value === undefined ? {} : { [name]: value }
}

function truth(value: boolean | undefined): Truth | undefined {
  if (value === undefined) return undefined
  return value ? 'True' : 'False'
}

function hexOrNothing(octets: Uint8Array | undefined): string | undefined {
  return octets === undefined || octets.length === 0 ? undefined : Buffer.from(octets).toString('hex')
}
