import type { Rule } from './kind.ts'

/** Rules about `spec.workload` of a backend. */
export const workloadRules: readonly Rule[] = [
  {
    id: 'VariableOneValue',
    message: 'exactly one of value and valueFrom must be set, as in value: production',
    fieldPath: 'spec.workload.env[]',
    at: 'spec.workload.env[]',
    cel: 'has(self.value) != has(self.valueFrom)',
  },
]
