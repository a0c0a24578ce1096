import { EFFECT, type Effect } from '../../bridge/contract.ts'

/** Who may send it: the MCP client (C), the MCP server (S), or both. */
export type McpDirection = 'toServer' | 'toClient' | 'both'

/** What a sender does about the SafetyLabel (digest 06 section 3). Ours: every request carries one anyway. */
export type LabelRule = 'may' | 'should' | 'must'

export interface McpMethod {
  readonly method: string
  readonly direction: McpDirection
  readonly effect: Effect
  readonly label: LabelRule
}

const { READ_ONLY, IDEMPOTENT_WRITE, NON_IDEMPOTENT_WRITE, DESTRUCTIVE } = EFFECT

/** Requests: digest 06 section 3.1, then section 5.3 for the methods of 2026-07-28. */
export const MCP_REQUESTS: readonly McpMethod[] = [
  row('initialize', 'toServer', READ_ONLY, 'may'),
  row('ping', 'both', READ_ONLY, 'may'),
  row('tools/list', 'toServer', READ_ONLY, 'may'),
  // What the tool's annotations do not lower (section 5.2); nobody's annotations are known here.
  row('tools/call', 'toServer', DESTRUCTIVE, 'must'),
  row('resources/list', 'toServer', READ_ONLY, 'may'),
  row('resources/templates/list', 'toServer', READ_ONLY, 'may'),
  row('resources/read', 'toServer', READ_ONLY, 'may'),
  row('resources/subscribe', 'toServer', IDEMPOTENT_WRITE, 'should'),
  row('resources/unsubscribe', 'toServer', IDEMPOTENT_WRITE, 'should'),
  row('prompts/list', 'toServer', READ_ONLY, 'may'),
  row('prompts/get', 'toServer', READ_ONLY, 'may'),
  row('completion/complete', 'toServer', READ_ONLY, 'may'),
  row('logging/setLevel', 'toServer', IDEMPOTENT_WRITE, 'should'),
  row('roots/list', 'toClient', READ_ONLY, 'may'),
  row('sampling/createMessage', 'toClient', NON_IDEMPOTENT_WRITE, 'must'),
  row('elicitation/create', 'toClient', NON_IDEMPOTENT_WRITE, 'must'),
  row('tasks/get', 'both', READ_ONLY, 'may'),
  row('tasks/result', 'both', READ_ONLY, 'may'),
  row('tasks/list', 'both', READ_ONLY, 'may'),
  row('tasks/cancel', 'both', IDEMPOTENT_WRITE, 'must'),
  // Not on the mapping's read_only list, so a reader without this table takes an unlabelled one for destructive.
  row('server/discover', 'toServer', READ_ONLY, 'must'),
  row('subscriptions/listen', 'toServer', IDEMPOTENT_WRITE, 'must'),
]

/** Notifications: digest 06 section 3.2 and digest 10 section 1. They carry no label. */
export const MCP_NOTIFICATIONS: ReadonlyMap<string, McpDirection> = new Map([
  ['notifications/initialized', 'toServer'],
  ['notifications/cancelled', 'both'],
  ['notifications/progress', 'both'],
  ['notifications/message', 'toClient'],
  ['notifications/resources/updated', 'toClient'],
  ['notifications/resources/list_changed', 'toClient'],
  ['notifications/tools/list_changed', 'toClient'],
  ['notifications/prompts/list_changed', 'toClient'],
  ['notifications/roots/list_changed', 'toServer'],
  ['notifications/elicitation/complete', 'toClient'],
  ['notifications/tasks/status', 'both'],
  ['notifications/subscriptions/acknowledged', 'toClient'],
])

/** The row of a request; undefined is no reason to refuse it (MCP-014). */
export function mcpRequest(method: string): McpMethod | undefined {
  return BY_METHOD.get(method)
}

/**
 * The effect that a request of this method is labelled with by its sender. A method that no table knows is destructive
 * (MCP-042).
 */
export function effectOf(method: string): Effect {
  return BY_METHOD.get(method)?.effect ?? DESTRUCTIVE
}

/**
 * What the method alone says to a receiver of an unlabelled request, for `effectiveEffect`: the mapping's own read_only
 * list, in which `server/discover` does not stand (MCP-025).
 */
export function unlabelledEffectOf(method: string): Effect {
  const known = BY_METHOD.get(method)
  return known?.effect === READ_ONLY && known.label === 'may' ? READ_ONLY : DESTRUCTIVE
}

const BY_METHOD: ReadonlyMap<string, McpMethod> = new Map(MCP_REQUESTS.map((known) => [known.method, known]))

function row(method: string, direction: McpDirection, effect: Effect, label: LabelRule): McpMethod {
  return { method, direction, effect, label }
}
