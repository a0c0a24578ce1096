import type { Rule } from './kind.ts'

/** Rules of every kind with `allowedNamespaces`. */
export const grantRules: readonly Rule[] = [
  {
    id: 'SelectorWithFrom',
    message: 'selector is set with from Selector, and only then',
    fieldPath: 'spec.allowedNamespaces.selector',
    cel: "(self.allowedNamespaces.from == 'Selector') == has(self.allowedNamespaces.selector)",
  },
]
