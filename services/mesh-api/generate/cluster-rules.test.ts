import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import type { Rule } from '../kinds/kind.ts'
import { type Structural, structural } from '../schema/structural.ts'
import { crdYaml } from './crd.ts'

/** Standard CEL, as far as the rules use it: no library of Kubernetes. */
const ALLOWED_CALLS = new Set(['has', 'size', 'matches', 'startsWith', 'duration', 'all', 'exists', 'filter', 'map'])

const everyRule = KIND_NAMES.flatMap((kind) =>
  KINDS[kind].rules.map((rule: Rule) => [`${kind} ${rule.id} at ${rule.fieldPath}`, kind, rule] as const),
)

describe.each(everyRule)('%s', (_, kind, { cel, at = 'spec', fieldPath, message }) => {
  const object = objectOf(kind)

  it('has one message, about a field that exists', () => {
    expect(message).toMatch(/^[^\n]{1,2048}$/)
    expect(fieldAt(object, stepsOf(fieldPath)), 'the field that the message is about').toBeDefined()
  })

  it('speaks of fields that exist, in standard CEL', () => {
    const root = at === 'object' ? [] : stepsOf(at)
    for (const [, path = ''] of withoutTexts(cel).matchAll(/\b(?:self|oldSelf)((?:\.[A-Za-z0-9]+\b(?!\())+)/g)) {
      expect(fieldAt(object, [...root, ...path.split('.').slice(1)]), `self${path}`).toBeDefined()
    }
    const calls = [...withoutTexts(cel).matchAll(/([A-Za-z]+)\(/g)].map(([, name = '']) => name)
    expect(calls.filter((name) => !ALLOWED_CALLS.has(name))).toEqual([])
  })

  it('stands in the CRD', () => {
    expect(crdYaml(KINDS[kind])).toContain(stringify(cel, { lineWidth: 0 }).trim())
  })
})

function objectOf(kind: (typeof KIND_NAMES)[number]): Structural {
  const name: Structural = { type: 'string' }
  const metadata: Structural = { type: 'object', properties: { name } }
  return { type: 'object', properties: { metadata, spec: structural(KINDS[kind].spec) } }
}

function fieldAt(node: Structural, [step, ...rest]: readonly string[]): Structural | undefined {
  if (step === undefined) return node
  const field = step === '[]' ? node.items : node.properties?.[step]
  return field === undefined ? undefined : fieldAt(field, rest)
}

function withoutTexts(expression: string): string {
  return expression.replaceAll(/'[^']*'/g, "''")
}

function stepsOf(path: string): string[] {
  return path.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), '[]'] : [step]))
}
