import { credentialFile } from '@causeway/mesh-api'
import type { DataRef } from '../../world/data-refs.ts'
import type { Digests } from '../../world/entries.ts'

/** One file that a relay is to find, and where its octets come from. */
export interface Projection {
  readonly file: string
  readonly ref: DataRef
  /** Of the source; undefined: it is not there. */
  readonly wanted: string | undefined
  /** Of what is projected already. */
  readonly held: string | undefined
}

export interface CredentialsDecision {
  /** Files that are copied anew. */
  readonly copied: readonly Projection[]
  /** Files that stay as they are, although their source may be gone: the last good one stays in force. */
  readonly kept: readonly string[]
  /** Files that nobody names any more. */
  readonly dropped: readonly string[]
  readonly isChanged: boolean
}

/** Every entry once, in the order of its file. */
export function projectionsOf(
  refs: readonly DataRef[],
  wantedOf: (ref: DataRef) => string | undefined,
  held: Digests,
): Projection[] {
  const byFile = new Map(refs.filter(({ isProjected }) => isProjected).map((ref) => [credentialFile(ref.entry), ref]))
  return [...byFile]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, ref]) => ({ file, ref, wanted: wantedOf(ref), held: held.get(file) }))
}

/** @param unread files of objects of which nothing can be read that is in force; relays go on with what they have of them */
export function decideCredentials(
  projections: readonly Projection[],
  held: Digests,
  unread: ReadonlySet<string>,
): CredentialsDecision {
  const files = new Set(projections.map(({ file }) => file))
  const copied = projections.filter(({ wanted, held: have }) => wanted !== undefined && wanted !== have)
  const stays = projections.filter(({ wanted, held: have }) => have !== undefined && (wanted ?? have) === have)
  const others = [...held.keys()].filter((file) => !files.has(file))
  const kept = [...stays.map(({ file }) => file), ...others.filter((file) => unread.has(file))]
  const dropped = others.filter((file) => !unread.has(file))
  return { copied, kept, dropped, isChanged: copied.length > 0 || dropped.length > 0 }
}
