import { isWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'

export const policyRules: readonly Rule[] = [
  {
    id: 'TargetsOneWay',
    message: 'at most one of targetRefs and selector may be set, as in selector: {matchLabels: {team: a}}',
    fieldPath: 'spec.selector',
    cel: '!has(self.targetRefs) || !has(self.selector)',
  },
  {
    id: 'RateLimitWithAction',
    message: 'rateLimit is set with action rateLimit, and only then, as in rateLimit: {calls: 60, per: 1m}',
    fieldPath: 'spec.rules[].rateLimit',
    at: 'spec.rules[]',
    cel: "(self.action == 'rateLimit') == has(self.rateLimit)",
  },
  {
    id: 'RedactWithAction',
    message: 'redact is set with action redact, and only then, as in redact: [/address/street]',
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
    cel: isWithin('self.per', '1s', '24h'),
  },
  {
    id: 'ApprovalBounds',
    message: 'must be between 1s and 24h',
    fieldPath: 'spec.rules[].approval.expires',
    at: 'spec.rules[].approval',
    cel: isWithin('self.expires', '1s', '24h'),
  },
]
