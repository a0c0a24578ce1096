import { createHash } from 'node:crypto'
import { KINDS, type KindName } from '@causeway/mesh-api'
import type { StoredObject } from './read-object.ts'

/** What stands in an object's status of that which the control plane writes. */
export interface ObservedStatus {
  readonly uid: string
  /** Of the object: of two views the one with the greater version is the later one. */
  readonly resourceVersion: bigint
  /** Of all that the control plane writes, but for the times: see `statusDigest`. */
  readonly digest: string
  /** Of each condition type: its status, and since when. */
  readonly transitions: ReadonlyMap<string, Transition>
}

export interface Transition {
  readonly status: string
  readonly lastTransitionTime: string
}

/** The statuses as the source sees them. */
export interface ObservedStatuses {
  /** `name` is `namespace/name`. */
  get(kind: KindName, name: string): ObservedStatus | undefined
  /** Calls `changed` whenever the digest of an object is another one. There is one at a time; undefined: nobody. */
  attach(changed: ((kind: KindName, name: string) => void) | undefined): void
}

type Fields = Readonly<Record<string, unknown>>

export function observeStatus(kind: KindName, { metadata, status }: StoredObject): ObservedStatus {
  const fields = isFields(status) ? status : {}
  const transitions = new Map<string, Transition>()
  for (const { type, status: value, lastTransitionTime } of ownConditions(kind, fields.conditions)) {
    if (typeof type === 'string' && typeof value === 'string' && typeof lastTransitionTime === 'string') {
      transitions.set(type, { status: value, lastTransitionTime })
    }
  }
  return {
    uid: metadata.uid ?? '',
    resourceVersion: BigInt(metadata.resourceVersion ?? 0),
    digest: statusDigest(kind, fields),
    transitions,
  }
}

/** Equal for statuses that say the same: whatever others write, and when a condition last changed, is left out. */
export function statusDigest(
  kind: KindName,
  status: { readonly conditions?: unknown; readonly relays?: unknown; readonly relayCount?: unknown },
): string {
  const conditions = ownConditions(kind, status.conditions).map(
    ({ type, status: value, observedGeneration, reason, message }) => [
      type,
      value,
      observedGeneration,
      reason,
      message,
    ],
  )
  const relays = listOf(status.relays).map((row) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = JSON.stringify([sorted(conditions), sorted(relays), status.relayCount ?? 0])
  return createHash('sha256').update(text).digest('base64')
}

function ownConditions(kind: KindName, conditions: unknown): Fields[] {
  const own = KINDS[kind].conditions.filter(({ writer }) => writer === 'control plane')
  return listOf(conditions).filter(({ type }) => own.some((one) => one.type === type))
}

/** The order of a list map's entries says nothing. */
function sorted(entries: readonly unknown[]): string[] {
  return entries.map((entry) => JSON.stringify(entry)).sort()
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
