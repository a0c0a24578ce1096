import type { Rule } from './kind.ts'

/** CONTROL section 7: all else is immutable, and a decision is made once. */
export const approvalRules: readonly Rule[] = [
  {
    id: 'DecisionHasAuthor',
    message:
      'decision and decidedBy are set together: a decision names who made it, as in {decision: Approved, decidedBy: alice}',
    fieldPath: 'spec.decidedBy',
    cel: 'has(self.decision) == has(self.decidedBy)',
  },
  {
    id: 'ReasonOfDecision',
    message: 'reason belongs to a decision',
    fieldPath: 'spec.reason',
    cel: '!has(self.reason) || has(self.decision)',
  },
  {
    id: 'RequestStays',
    message: 'request and expiresAt never change',
    fieldPath: 'spec.request',
    cel: 'self.request == oldSelf.request && self.expiresAt == oldSelf.expiresAt',
  },
  {
    id: 'DecidedOnce',
    message: 'a decision that was made stays as it is',
    fieldPath: 'spec.decision',
    cel:
      '!has(oldSelf.decision) || (has(self.decision) && self.decision == oldSelf.decision && ' +
      'self.decidedBy == oldSelf.decidedBy && has(self.reason) == has(oldSelf.reason) && ' +
      '(!has(self.reason) || self.reason == oldSelf.reason))',
  },
]
