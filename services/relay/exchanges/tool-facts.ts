import { type Effect, effectOf, type ScannedMessage } from '@causeway/npamp'
import type { CallReply } from './contract.ts'

/**
 * What is known of the tools behind a route, as far as it decides the effect of a request (CARRIAGE section 11). The edge
 * asks for every request, and tells what passed that facts can come from.
 */
export interface ToolFacts {
  /** The effect that a request is labelled with. Never throws. */
  effectOf(message: ScannedMessage, method: string, scope: FactScope): Effect
  /**
   * A `tools/list` request passes; its result is told to what this returns, before the client can call. Never throws, and
   * keeps no octets of either.
   */
  listing(request: ScannedMessage, scope: FactScope): (result: CallReply) => void
  /** The server said `notifications/tools/list_changed`. */
  listChanged(scope: FactScope): void
  /** Nothing more comes of this context: what is known for it may be forgotten. */
  forget(scope: FactScope): void
  /**
   * Other servers are behind these targets (`CallTarget.name`) now: nothing that those before said of their tools is true any
   * more, nor what they still say.
   */
  forgetTargets(targets: ReadonlySet<string>): void
}

/** Whom facts are true for: one target, as one session or, outside sessions, one principal sees it. */
export interface FactScope {
  /** `CallTarget.name`. */
  readonly target: string
  /** `session:` and the session's id, or `principal:` and who calls. */
  readonly context: string
  /** Whether the annotations of this target may lower the effect of a tool; if not, they may only raise it. */
  readonly trustAnnotations: boolean
}

/** Nothing is known of any tool: the table of methods decides. */
export const NO_TOOL_FACTS: ToolFacts = {
  effectOf: (_message, method) => effectOf(method),
  listing: () => () => {},
  listChanged() {},
  forget() {},
  forgetTargets() {},
}
