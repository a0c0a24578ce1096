import { EFFECT, type Effect } from '../../bridge/contract.ts'
import { findMember, jsonKind, type Span } from '../../bridge/jsonrpc/json-text.ts'

/** The annotations of a tool that its effect follows from. A hint that is no JSON boolean counts as absent. */
export interface ToolHints {
  readonly readOnly: boolean | undefined
  readonly destructive: boolean | undefined
  readonly idempotent: boolean | undefined
}

/** The effect of calling a tool, from what its server says of it (digest 06 section 5.2). `hints`: undefined where the server says nothing. */
export function toolEffect(hints: ToolHints | undefined): Effect {
  if (hints?.readOnly === undefined) return EFFECT.DESTRUCTIVE // MCP-034
  if (hints.readOnly) return EFFECT.READ_ONLY // MCP-030
  // MCP-033, and by MCP's own default where the hint is absent (MCP-035).
  if (hints.destructive ?? true) return EFFECT.DESTRUCTIVE
  return hints.idempotent === true ? EFFECT.IDEMPOTENT_WRITE : EFFECT.NON_IDEMPOTENT_WRITE // MCP-031, MCP-032
}

/** Read only and destructive at once: the first decides, and somebody should know. */
export function isContradictory(hints: ToolHints | undefined): boolean {
  return hints?.readOnly === true && hints.destructive === true
}

/** The hints of the tool that stands at `tool` in a scanned text; undefined where it has no `annotations` object. */
export function hintsOf(text: Uint8Array, tool: Span): ToolHints | undefined {
  const annotations = findMember(text, tool, 'annotations')
  if (annotations === undefined || jsonKind(text, annotations) !== 'object') return undefined
  return {
    readOnly: booleanAt(text, annotations, 'readOnlyHint'),
    destructive: booleanAt(text, annotations, 'destructiveHint'),
    idempotent: booleanAt(text, annotations, 'idempotentHint'),
  }
}

function booleanAt(text: Uint8Array, object: Span, name: string): boolean | undefined {
  const span = findMember(text, object, name)
  if (span === undefined || jsonKind(text, span) !== 'boolean') return undefined
  return text[span.start] === TRUE
}

/** `t` */
const TRUE = 0x74
