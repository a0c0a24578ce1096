import { findAt, jsonKind, type ScannedMessage, stringValue } from '@causeway/npamp'
import type { Era } from '../../exchanges/contract.ts'

/** The first stateless revision; revisions are dates and compare as text. */
const FIRST_MODERN_REVISION = '2026-07-28'
const CLAIM = 'io.modelcontextprotocol/protocolVersion'

export interface EraVerdict {
  readonly era: Era
  /** The revision that a modern body names; absent in the legacy era, and where the backend has to judge a bad claim. */
  readonly revision?: string
}

const LEGACY: EraVerdict = { era: 'legacy' }
/** A claim that is no string, or a modern header without any: an error, never a fallback, and the backend's to answer. */
const MODERN_UNCLAIMED: EraVerdict = { era: 'modern' }

/** Digest 10 section 3: the body decides. `versionHeader` is MCP-Protocol-Version. */
export function eraOf(message: ScannedMessage, versionHeader: string | undefined): EraVerdict {
  if (message.method === undefined) return LEGACY
  const claim = message.params && findAt(message.text, message.params, '_meta', CLAIM)
  const isInitialize = message.method === 'initialize'
  if (claim !== undefined) {
    if (jsonKind(message.text, claim) !== 'string') return isInitialize ? LEGACY : MODERN_UNCLAIMED
    const revision = stringValue(message.text, claim)
    return isModern(revision) ? { era: 'modern', revision } : LEGACY
  }
  if (isInitialize || versionHeader === undefined || !isModern(versionHeader)) return LEGACY
  return MODERN_UNCLAIMED
}

function isModern(revision: string): boolean {
  return revision >= FIRST_MODERN_REVISION
}
