import { EFFECT, type Effect, effectiveEffect, type IncomingExchange, unlabelledEffectOf } from '@causeway/npamp'
import type { ExchangeWatch } from './exchange-watch.ts'

/** What a request of a peer's must be taken for; one that lacks the label it needs is counted (MCP-025, BRG-023). */
export function effectHere({ label, method }: IncomingExchange, watch: ExchangeWatch): Effect {
  const unlabelled = unlabelledEffectOf(method)
  if (label === undefined && unlabelled !== EFFECT.READ_ONLY) watch.unlabelled()
  return effectiveEffect(label, unlabelled)
}
