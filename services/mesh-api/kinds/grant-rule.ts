import type { Rule } from './kind.ts'

/** Rules of every kind with `allowedNamespaces`. */
export const grantRules: readonly Rule[] = [
  {
    id: 'SelectorWithFrom',
    message:
      'selector is set with from Selector, and only then, as in {from: Selector, selector: {matchLabels: {team: a}}}',
    fieldPath: 'spec.allowedNamespaces.selector',
    cel: "(self.allowedNamespaces.from == 'Selector') == has(self.allowedNamespaces.selector)",
  },
]
