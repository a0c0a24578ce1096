import { grantRules } from './grant-rule.ts'
import type { Rule } from './kind.ts'

export const anchorRules: readonly Rule[] = [
  {
    id: 'SomethingToTrust',
    message: 'at least one of handles and keys must have an entry',
    fieldPath: 'spec.handles',
    cel: 'self.handles.size() > 0 || self.keys.size() > 0',
  },
  ...grantRules,
]
