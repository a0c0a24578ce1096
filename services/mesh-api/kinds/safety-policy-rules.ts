import type { Rule } from './kind.ts'

export const policyRules: readonly Rule[] = [
  {
    id: 'TargetsOneWay',
    message: 'at most one of targetRefs and selector may be set',
    fieldPath: 'spec.selector',
    cel: '!has(self.targetRefs) || !has(self.selector)',
  },
  {
    id: 'RateLimitWithAction',
    message: 'rateLimit is set with action rateLimit, and only then',
    fieldPath: 'spec.rules[].rateLimit',
    at: 'spec.rules[]',
    cel: "(self.action == 'rateLimit') == has(self.rateLimit)",
  },
  {
    id: 'RedactWithAction',
    message: 'redact is set with action redact, and only then',
    fieldPath: 'spec.rules[].redact',
    at: 'spec.rules[]',
    cel: "(self.action == 'redact') == has(self.redact)",
  },
  {
    id: 'ApprovalWithAction',
    message: 'approval belongs to action requireApproval',
    fieldPath: 'spec.rules[].approval',
    at: 'spec.rules[]',
    cel: "!has(self.approval) || self.action == 'requireApproval'",
  },
  {
    id: 'RateLimitBounds',
    message: 'must be between 1s and 24h',
    fieldPath: 'spec.rules[].rateLimit.per',
    at: 'spec.rules[].rateLimit',
    cel: "duration(self.per) >= duration('1s') && duration(self.per) <= duration('24h')",
  },
  {
    id: 'ApprovalBounds',
    message: 'must be between 1s and 24h',
    fieldPath: 'spec.rules[].approval.expires',
    at: 'spec.rules[].approval',
    cel: "duration(self.expires) >= duration('1s') && duration(self.expires) <= duration('24h')",
  },
]
