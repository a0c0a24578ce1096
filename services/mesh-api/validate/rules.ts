import { type CelValue, celEnv, celList, celMap, isCelList, isCelMap, parse, plan } from '@bufbuild/cel'
import type { Rule } from '../kinds/kind.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Fault } from './fault.ts'

/** A rule ready to run. */
export interface PlannedRule {
  readonly rule: Rule
  /** From the object to what `self` is, for each object that has it. */
  readonly at: readonly string[]
  /** From `self` to the field that the message is about. */
  readonly below: readonly string[]
  readonly isTransition: boolean
  readonly holds: (bindings: { self: CelValue; oldSelf: CelValue }) => boolean
}

/** Parses and plans rules; throws for an expression that is no CEL. */
export function planRules(rules: readonly Rule[]): readonly PlannedRule[] {
  const environment = celEnv()
  return rules.map((rule) => {
    const run = plan(environment, parse(rule.cel))
    const at = rule.at === 'object' ? [] : stepsOf(rule.at ?? 'spec')
    return {
      rule,
      at,
      below: stepsOf(rule.fieldPath).slice(at.length),
      isTransition: isTransition(rule),
      // An expression that cannot be evaluated refuses, as in an API server.
      holds: (bindings) => run(bindings) === true,
    }
  })
}

/** Whether a rule is about a change, and says nothing of an object by itself. */
export function isTransition(rule: Rule): boolean {
  return /\boldSelf\b/.test(rule.cel)
}

/** What the rules have against an object that its schema has nothing against. */
export function checkRules(rules: readonly PlannedRule[], object: unknown): Fault[] {
  const value = celValue(object)
  return rules
    .filter(({ isTransition }) => !isTransition)
    .flatMap((rule) =>
      selvesOf(value, rule.at, []).flatMap(({ self, path }) => broken(rule, path, { self, oldSelf: null })),
    )
}

/** The same for a change from one object to another: the rules about changes only, none of which is about a list's entry. */
export function checkTransitions(rules: readonly PlannedRule[], before: unknown, after: unknown): Fault[] {
  const [old, value] = [celValue(before), celValue(after)]
  return rules
    .filter(({ isTransition }) => isTransition)
    .flatMap((rule) => {
      const [self, oldSelf] = [selvesOf(value, rule.at, [])[0], selvesOf(old, rule.at, [])[0]]
      if (self === undefined || oldSelf === undefined) return []
      return broken(rule, self.path, { self: self.self, oldSelf: oldSelf.self })
    })
}

function broken(rule: PlannedRule, path: FieldPath, bindings: { self: CelValue; oldSelf: CelValue }): Fault[] {
  if (rule.holds(bindings)) return []
  return [{ path: [...path, ...rule.below], message: rule.rule.message, kind: 'rule' }]
}

function selvesOf(
  value: CelValue,
  [step, ...rest]: readonly string[],
  path: FieldPath,
): { self: CelValue; path: FieldPath }[] {
  if (step === undefined) return [{ self: value, path }]
  if (step === '[]') {
    if (!isCelList(value)) return []
    return [...value].flatMap((entry, index) => selvesOf(entry, rest, [...path, index]))
  }
  const field = isCelMap(value) ? value.get(step) : undefined
  return field === undefined ? [] : selvesOf(field, rest, [...path, step])
}

/** `spec.rules[].match` as `spec`, `rules`, `[]`, `match`. */
function stepsOf(path: string): string[] {
  return path.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), '[]'] : [step]))
}

/** Once for all rules. CEL tells whole numbers from others by their type; ours are all whole. */
function celValue(value: unknown): CelValue {
  switch (typeof value) {
    case 'number':
      return BigInt(value)
    case 'string':
    case 'boolean':
      return value
    case 'object':
      break
    default:
      throw new TypeError(`a value of type ${typeof value} has no form in CEL`)
  }
  if (value === null) return null
  if (Array.isArray(value)) return celList(value.map(celValue))
  return celMap(new Map(Object.entries(value).map(([name, field]) => [name, celValue(field)])))
}
