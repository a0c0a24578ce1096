import { SESSION_END_REASON as REASON } from '@causeway/npamp'
import type { SessionEndReason } from '../exchanges/contract.ts'

/** Reasons of LINK session-end (CARRIAGE section 1), as this relay names them. */
const NUMBERS: Readonly<Record<SessionEndReason, number>> = {
  client: REASON.CLIENT_ENDED,
  backend: REASON.BACKEND_LOST,
  unknown: REASON.UNKNOWN_SESSION,
  idle: REASON.IDLE,
  policy: REASON.LIMIT_OR_POLICY,
}

export function reasonNumber(reason: SessionEndReason): number {
  return NUMBERS[reason]
}

/** A number that no version of ours defines ends the session all the same. */
export function reasonOf(number: number): SessionEndReason {
  for (const reason of Object.keys(NUMBERS) as SessionEndReason[]) if (NUMBERS[reason] === number) return reason
  return 'policy'
}
