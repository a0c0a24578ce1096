import type { ConditionType, PrinterColumn } from './kind.ts'

/**
 * What `kubectl get` answers: is it working (a column for each of the conditions that say so), since when and why not
 * (time, reason and message of `main`). Conditions that are True only in rare states stand under `-o wide`.
 */
export function conditionColumns(conditions: readonly ConditionType[], main: string): readonly PrinterColumn[] {
  const each = conditions.map(
    ({ type, says }): PrinterColumn => ({
      name: type,
      type: 'string',
      description: says,
      jsonPath: ofCondition(type, 'status'),
      ...(RARE.has(type) ? { priority: 1 } : {}),
    }),
  )
  return [
    ...each,
    { name: 'Since', type: 'date', description: SINCE, jsonPath: ofCondition(main, 'lastTransitionTime') },
    { name: 'Reason', type: 'string', description: `Why ${main} is so.`, jsonPath: ofCondition(main, 'reason') },
    ...(main !== 'Accepted' && conditions.some(({ type }) => type === 'Accepted') ? [REFUSED] : []),
    {
      name: 'Message',
      type: 'string',
      description: `The message of ${main}: the instance, and what it says.`,
      jsonPath: ofCondition(main, 'message'),
      priority: 1,
    },
    { name: 'Age', type: 'date', description: 'Since it was created.', jsonPath: '.metadata.creationTimestamp' },
  ]
}

const REFUSED: PrinterColumn = {
  name: 'Refused',
  type: 'string',
  description: 'The message of Accepted: the field, and what is allowed.',
  jsonPath: ofCondition('Accepted', 'message'),
  priority: 1,
}

export const PATH: PrinterColumn = {
  name: 'Path',
  type: 'string',
  description: 'The HTTP path of the route.',
  jsonPath: '.spec.path',
}

export const PEER_HANDLE: PrinterColumn = {
  name: 'PeerHandle',
  type: 'string',
  description: 'Who the relay is to its peers.',
  jsonPath: '.status.identity.peerHandle',
  priority: 1,
}

export const MODE: PrinterColumn = ofSpec('Mode', 'mode', 'Whether its decisions hold.')
export const OWNER: PrinterColumn = ofSpec('Owner', 'owner', 'Who calls with it.')
export const KEY_EXPIRES: PrinterColumn = ofSpec('Expires', 'expiresAt', 'When it ends.')
export const TOOL: PrinterColumn = ofSpec('Tool', 'request.tool', 'What is called.')
export const PRINCIPAL: PrinterColumn = ofSpec('Principal', 'request.principal', 'Who calls.')
export const DECISION: PrinterColumn = ofSpec('Decision', 'decision', 'What a person says.')
export const EXPIRES: PrinterColumn = ofSpec('Expires', 'expiresAt', 'When it is refused for want of a decision.')

const SINCE = 'When that last changed.'

const RARE: ReadonlySet<string> = new Set(['AuditReady', 'IdentityExpiring', 'SuccessorPinned', 'Authorized'])

function ofCondition(type: string, field: string): string {
  return `.status.conditions[?(@.type=="${type}")].${field}`
}

function ofSpec(name: string, path: string, description: string): PrinterColumn {
  return { name, type: 'string', description, jsonPath: `.spec.${path}` }
}
