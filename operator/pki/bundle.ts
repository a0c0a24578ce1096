import { createHash } from 'node:crypto'
import type { CertificateFacts } from './facts.ts'

/** The text of `ca.crt`: each authority once, the one that issues first. */
export function bundleOf(authorities: readonly CertificateFacts[]): string {
  const seen = new Set<string>()
  return authorities
    .filter(({ fingerprint }) => !seen.has(fingerprint) && seen.add(fingerprint))
    .map(({ certificate }) => `${certificate.trim()}\n`)
    .join('')
}

/** What an instance reports of the file that it has read. */
export function bundleDigest(bundle: string): string {
  return createHash('sha256').update(bundle).digest('hex')
}
