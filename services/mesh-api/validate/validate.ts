import { z } from 'zod'
import { type AnyResource, KINDS } from '../kinds/all-kinds.ts'
import { API_VERSION, type KindName } from '../kinds/kind.ts'
import { metadataSchema } from '../kinds/metadata.ts'
import { checkValue } from './check-value.ts'
import type { Fault } from './fault.ts'
import { checkMetadata } from './metadata.ts'
import { type Node, planOf } from './plan.ts'
import { checkRules, checkTransitions, type PlannedRule, planRules } from './rules.ts'

export type Validated = { readonly resource: AnyResource } | { readonly faults: readonly Fault[] }

/**
 * Checks one plain object of a kind by itself, and gives it its defaults: the one validator of files, control plane,
 * operator and command line, with the verdict, the fields and the words of rules of an API server (CONTROL section 1).
 */
export function validateObject(kind: KindName, value: unknown): Validated {
  return validateWith(planFor(kind), value)
}

export function validateWith({ node, rules }: Plan, value: unknown): Validated {
  const faults: Fault[] = []
  const resource = checkValue(node, value, [], faults)
  // As in an API server: what the rules would read may not be there.
  const isReadable = faults.every((fault) => fault.kind === 'form')
  if (isReadable) faults.push(...checkMetadata((resource as AnyResource).metadata), ...checkRules(rules, resource))
  return faults.length > 0 ? { faults: firstOfEachField(faults) } : { resource: resource as AnyResource }
}

/** A text of the wrong form is outside of the bounds of its rule too; a person needs to be told once. */
function firstOfEachField(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Set<string>()
  return faults.filter(({ path, kind }) => {
    const field = path.join('\0')
    const isAgain = kind === 'rule' && seen.has(field)
    if (kind !== 'rule') seen.add(field)
    return !isAgain
  })
}

/** What the rules about changes have against one valid object becoming another; their text and fields as above. */
export function validateChange(before: AnyResource, after: AnyResource): readonly Fault[] {
  return checkTransitions(planFor(after.kind).rules, before, after)
}

/** A kind ready to validate its objects. */
export interface Plan {
  readonly node: Node
  readonly rules: readonly PlannedRule[]
}

/** Made when a kind is first asked for; plans are functions of the kinds, which are constants. */
const PLANS = new Map<KindName, Plan>()

export function planFor(kind: KindName): Plan {
  const known = PLANS.get(kind)
  if (known !== undefined) return known
  const plan = { node: planOf(objectSchema(kind), ''), rules: planRules(KINDS[kind].rules) }
  PLANS.set(kind, plan)
  return plan
}

function objectSchema(kind: KindName): z.ZodObject {
  return z.strictObject({
    apiVersion: z.enum([API_VERSION]),
    kind: z.enum([kind]),
    metadata: metadataSchema,
    spec: KINDS[kind].spec,
  })
}
