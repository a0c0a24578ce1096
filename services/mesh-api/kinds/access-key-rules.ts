import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import { CEL } from './never-accepted.ts'

export const accessKeyRules: readonly Rule[] = [
  {
    id: 'NarrowingHeaderFree',
    message: 'is a header that is never read: credentials, and what belongs to one connection or to MCP itself',
    fieldPath: 'spec.narrowingHeader',
    cel: `!has(self.narrowingHeader) || ![self.narrowingHeader].exists(name, ${CEL.isNeverAccepted})`,
  },
  durationWithin('spec.budget.per', '1s', '8760h'),
]
