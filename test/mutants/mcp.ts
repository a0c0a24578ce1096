import { inCore, type Mutant } from './mutant.ts'

const EFFECT = 'mappings/mcp/tool-effect.ts'
const LIST = 'mappings/mcp/tool-list.ts'

/** What labels of `tools/call` come from. */
export const MCP_MUTANTS: readonly Mutant[] = [
  inCore(
    'a tool without annotations is no longer destructive',
    EFFECT,
    'MCP-034',
    'if (hints?.readOnly === undefined) return EFFECT.DESTRUCTIVE',
    'if (hints?.readOnly === undefined) return EFFECT.NON_IDEMPOTENT_WRITE',
  ),
  inCore(
    'a read-only tool is labelled by its other hints',
    EFFECT,
    'MCP-030',
    'if (hints.readOnly) return EFFECT.READ_ONLY',
    'if (hints.readOnly && hints.destructive !== true) return EFFECT.READ_ONLY',
  ),
  inCore(
    'an absent destructiveHint counts as false',
    EFFECT,
    'MCP-035',
    'hints.destructive ?? true',
    'hints.destructive',
  ),
  inCore(
    'a tool that destroys is an idempotent write',
    EFFECT,
    'MCP-033',
    '(hints.destructive ?? true) return EFFECT.DESTRUCTIVE',
    '(hints.destructive ?? true) return EFFECT.IDEMPOTENT_WRITE',
  ),
  inCore(
    'an absent idempotentHint counts as true',
    EFFECT,
    'MCP-035',
    'hints.idempotent === true ?',
    'hints.idempotent !== false ?',
  ),
  inCore(
    'a write that is not idempotent is labelled as if it were',
    EFFECT,
    'MCP-032',
    'EFFECT.IDEMPOTENT_WRITE : EFFECT.NON_IDEMPOTENT_WRITE',
    'EFFECT.IDEMPOTENT_WRITE : EFFECT.IDEMPOTENT_WRITE',
  ),
  inCore(
    'an idempotent write is labelled as if it were not',
    EFFECT,
    'MCP-031',
    'EFFECT.IDEMPOTENT_WRITE : EFFECT.NON_IDEMPOTENT_WRITE',
    'EFFECT.NON_IDEMPOTENT_WRITE : EFFECT.NON_IDEMPOTENT_WRITE',
  ),
  inCore(
    'a hint that is no boolean counts',
    EFFECT,
    'MCP-034',
    "span === undefined || jsonKind(text, span) !== 'boolean'",
    'span === undefined',
  ),
  inCore(
    'an empty cursor ends a list',
    LIST,
    'MCP-045',
    "last: cursor === undefined || jsonKind(text, cursor) === 'null'",
    "last: cursor === undefined || cursor.end - cursor.start === 2 || jsonKind(text, cursor) === 'null'",
  ),
]
