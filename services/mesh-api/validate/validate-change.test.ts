import { expect, it } from 'vitest'
import { CHANGES } from '../fixtures/broken/changes.ts'
import { valid } from '../fixtures/written.ts'
import { KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import { formatFieldPath } from '../load/field-path.ts'
import { isTransition } from './rules.ts'
import { validateChange } from './validate.ts'

it.each(CHANGES)('a change: $name', ({ before, after, expected }) => {
  const [old, changed] = valid(before, after)
  if (old === undefined || changed === undefined) throw new TypeError('two objects')
  const found = validateChange(old, changed).map(({ path, message }) => `${formatFieldPath(path)}: ${message}`)
  expect(found).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)])
  expect(validateChange(changed, changed), 'nothing is against no change').toEqual([])
})

it.each(KIND_NAMES)('every rule about changes of %s refuses one of them', (kind) => {
  const rules = KINDS[kind].rules.filter(isTransition)
  const refused = CHANGES.filter((change) => change.before.kind === kind).map(({ expected = '' }) => expected)
  for (const { fieldPath, message } of rules) {
    expect(refused.some((expected) => `${fieldPath}: ${message}`.startsWith(expected) && expected !== '')).toBe(true)
  }
})
