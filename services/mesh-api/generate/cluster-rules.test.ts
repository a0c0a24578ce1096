import { describe, expect, it } from 'vitest'
import { KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import type { LocalRule, Rule } from '../kinds/kind.ts'
import { type Structural, structural } from './structural.ts'

/** Standard CEL, as far as the rules use it: no library of Kubernetes. */
const ALLOWED_CALLS = new Set(['has', 'size', 'matches', 'startsWith', 'duration', 'all', 'exists', 'filter', 'map'])

const everyRule = KIND_NAMES.flatMap((kind) =>
  KINDS[kind].rules.map((rule) => [`${kind} ${rule.id} at ${rule.fieldPath}`, kind, rule as Rule<never>] as const),
)

describe.each(everyRule)('%s', (_, kind, { cluster, holds, fieldPath, message }: Rule<never> & LocalRule<never>) => {
  const object = objectOf(kind)

  it('is enforced by files and by API servers, with one message and one place', () => {
    expect(holds).toBeTypeOf('function')
    expect(cluster.cel ?? cluster.listType).toBeTypeOf('string')
    expect(message).toMatch(/^[^\n]{1,2048}$/)
    expect(fieldAt(object, fieldPath.split('.')), 'the field that the message is about').toBeDefined()
  })

  it('speaks of fields that exist, in standard CEL', () => {
    const expression = cluster.cel ?? ''
    const root = cluster.self === 'object' ? [] : ['spec']
    for (const [, path = ''] of withoutTexts(expression).matchAll(/\bself((?:\.[A-Za-z]+\b(?!\())+)/g)) {
      expect(fieldAt(object, [...root, ...path.split('.').slice(1)]), `self${path}`).toBeDefined()
    }
    const calls = [...withoutTexts(expression).matchAll(/([A-Za-z]+)\(/g)].map(([, name = '']) => name)
    expect(calls.filter((name) => !ALLOWED_CALLS.has(name))).toEqual([])
    expect(withoutTexts(expression).match(/[([]/g)?.length).toBe(withoutTexts(expression).match(/[)\]]/g)?.length)
  })

  it('has the list type that it counts on', () => {
    if (cluster.listType === undefined) return
    expect(fieldAt(object, fieldPath.split('.'))?.['x-kubernetes-list-type']).toBe(cluster.listType)
  })
})

/** One rule for two lists; its rows of `rules.test.ts` refuse equal entries in either. */
const BY_ENVIRONMENT_DISTINCT = ['spec.mcp.stdio.env', 'spec.mcp.stdio.inheritEnv']

it.each(KIND_NAMES)('%s: a file refuses equal entries wherever the API server does', (kind) => {
  const ruled = KINDS[kind].rules.flatMap(({ cluster, fieldPath }) => (cluster.listType ? [fieldPath] : []))
  const typed = uniqueLists(structural(KINDS[kind].spec), 'spec')
  expect(new Set([...ruled, ...(kind === 'MeshBackend' ? BY_ENVIRONMENT_DISTINCT : [])])).toEqual(new Set(typed))
})

function uniqueLists(node: Structural, at: string): string[] {
  if (node.type === 'array') {
    const own = node['x-kubernetes-list-type'] === 'atomic' ? [] : [at]
    return [...own, ...(node.items === undefined ? [] : uniqueLists(node.items, `${at}[]`))]
  }
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => uniqueLists(field, `${at}.${name}`))
}

function objectOf(kind: (typeof KIND_NAMES)[number]): Structural {
  const name: Structural = { type: 'string' }
  const metadata: Structural = { type: 'object', properties: { name } }
  return { type: 'object', properties: { metadata, spec: structural(KINDS[kind].spec) } }
}

function fieldAt(node: Structural, [step, ...rest]: readonly string[]): Structural | undefined {
  if (step === undefined) return node
  const field = node.properties?.[step]
  return field === undefined ? undefined : fieldAt(field, rest)
}

function withoutTexts(expression: string): string {
  return expression.replaceAll(/'[^']*'/g, "''")
}
