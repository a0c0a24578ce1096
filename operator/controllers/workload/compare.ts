import { createHash } from 'node:crypto'
import type { Manifest } from '../../infra/manifest.ts'

/** The digest of what was applied last, so that a field that nobody wants any more is noticed too. */
export const APPLIED_ANNOTATION = 'mesh.causeway.dev/applied'

/** The manifest as it is sent: with the digest of itself. */
export function withDigest(manifest: Manifest): Manifest {
  const digest = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 32)
  const annotations = { ...manifest.metadata.annotations, [APPLIED_ANNOTATION]: digest }
  return { ...manifest, metadata: { ...manifest.metadata, annotations } }
}

/** Here an entry more is another meaning; the API server adds none, and takes them as one value (`atomic`). */
const WHOLE: ReadonlySet<string> = new Set(['selector', 'podSelector', 'namespaceSelector', 'nodeSelector'])

/**
 * Whether everything that `wanted` says stands in `found`. What is added to maps is not looked at, except to selectors; lists
 * have as many entries, in this order.
 */
export function covers(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found)) return wanted.length === 0 && found === undefined
    return wanted.length === found.length && wanted.every((entry, index) => covers(entry, found[index]))
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof found !== 'object' || found === null) return Object.keys(wanted).length === 0 && found === undefined
    const there = found as Readonly<Record<string, unknown>>
    return Object.entries(wanted).every(
      ([name, value]) => covers(value, there[name]) && (!WHOLE.has(name) || covers(there[name], value)),
    )
  }
  return wanted === found
}
