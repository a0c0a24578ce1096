import type { ReportedCondition } from '../object-status.ts'

/** A condition without its type and generation. */
export type Verdict = Pick<ReportedCondition, 'status' | 'reason' | 'message'>

export const NO_RELAY: Verdict = {
  status: 'Unknown',
  reason: 'NoRelay',
  message: 'no relay instance that it is for is connected',
}

export function unknown(reason: string, message: string): Verdict {
  return { status: 'Unknown', reason, message }
}

export function yes(reason: string, message: string): Verdict {
  return { status: 'True', reason, message }
}

export function no(reason: string, message: string): Verdict {
  return { status: 'False', reason, message }
}
