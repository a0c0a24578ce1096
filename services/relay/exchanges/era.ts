import { findAt, jsonKind, type ScannedMessage, stringValue } from '@causeway/npamp'
import type { Era } from './contract.ts'

/** The first stateless revision; revisions are dates and compare as text. */
const FIRST_MODERN_REVISION = '2026-07-28'
const CLAIM = 'io.modelcontextprotocol/protocolVersion'

export interface EraVerdict {
  readonly era: Era
  /** The revision that a modern body names; absent in the legacy era, and where the backend has to judge a bad claim. */
  readonly revision?: string
  /** Only the header says modern. It does not cross (MCP-022), so nobody behind the edge could see what is wrong. */
  readonly unclaimed?: true
}

const LEGACY: EraVerdict = { era: 'legacy' }
/** A claim that is no string: an error, never a fallback, and the backend's to answer. */
const MALFORMED_CLAIM: EraVerdict = { era: 'modern' }
const UNCLAIMED: EraVerdict = { era: 'modern', unclaimed: true }

/** Digest 10 section 3: the body decides. `versionHeader` is MCP-Protocol-Version. */
export function eraOf(message: ScannedMessage, versionHeader: string | undefined): EraVerdict {
  if (message.method === undefined) return LEGACY
  const claim = message.params && findAt(message.text, message.params, '_meta', CLAIM)
  const isInitialize = message.method === 'initialize'
  if (claim !== undefined) {
    if (jsonKind(message.text, claim) !== 'string') return isInitialize ? LEGACY : MALFORMED_CLAIM
    const revision = stringValue(message.text, claim)
    return isModernRevision(revision) ? { era: 'modern', revision } : LEGACY
  }
  if (isInitialize || versionHeader === undefined || !isModernRevision(versionHeader)) return LEGACY
  return UNCLAIMED
}

export function isModernRevision(revision: string): boolean {
  return revision >= FIRST_MODERN_REVISION
}
