import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ATOMIC, MAP_BY_NAME, SET } from '../fields/list-types.ts'
import { structural } from '../schema/structural.ts'
import { crdYaml, type GeneratedKind } from './crd.ts'
import { referencePage } from './reference-page.ts'

const FOLDER = join(import.meta.dirname, 'golden')

/** A kind with one of everything that generation knows. */
const sample: GeneratedKind = {
  name: 'Sample',
  plural: 'samples',
  shortName: 'cwsample',
  description: 'One of everything: a | b, <c>.',
  spec: z
    .strictObject({
      text: z
        .string()
        .min(1)
        .max(8)
        .regex(/^[^\0/]+$/, 'must be without NUL and slash')
        .describe('A pattern in the dialect of RE2.'),
      flag: z.boolean().optional().describe('Yes or no.'),
      count: z.int().min(0).max(9).default(3).describe('An integer of 32 bits.'),
      octets: z
        .int()
        .min(0)
        .max(2 ** 40)
        .optional()
        .describe('One of 64 bits.'),
      choice: z.enum(['Left', 'Right']).default('Left').describe('One of two.'),
      words: z.array(z.string().max(4)).max(3).meta(SET).default([]).describe('A set.'),
      steps: z.array(z.string().max(4)).max(3).meta(ATOMIC).optional().describe('A sequence.'),
      refs: z
        .array(z.strictObject({ name: z.string().max(5).describe('A name.') }))
        .max(3)
        .meta(MAP_BY_NAME)
        .optional()
        .describe('A map by name.'),
      labels: z
        .record(z.string(), z.string().max(4))
        .meta({ maxProperties: 2 })
        .optional()
        .describe('A map of strings.'),
      inner: z
        .strictObject({ depth: z.int().min(1).max(2).default(1).describe('A default below a default.') })
        .prefault({})
        .describe('An object that is always there.'),
    })
    .describe('Everything.'),
  status: z.strictObject({
    at: z.string().max(64).meta({ format: 'date-time' }).optional().describe('A time.'),
  }),
  conditions: [{ type: 'Accepted', writer: 'operator', says: 'It is fine.' }],
  notImplemented: ['spec.flag', 'spec.inner'],
  columns: [{ name: 'Text', type: 'string', description: 'Its text.', jsonPath: '.spec.text' }],
  rules: [
    { id: 'OfSpec', message: 'of the spec', fieldPath: 'spec.text', cel: "self.text != 'no'" },
    { id: 'OfSpecAsAWhole', message: 'of all of it', fieldPath: 'spec', cel: 'self.count > 0' },
    {
      id: 'OfObject',
      message: 'of the object',
      fieldPath: 'spec.text',
      cel: 'self.metadata.name != self.spec.text',
      at: 'object',
    },
    {
      id: 'OfEntry',
      message: 'of each entry',
      fieldPath: 'spec.refs[].name',
      cel: "self.name != 'no'",
      at: 'spec.refs[]',
    },
  ],
}

it('everything that generation knows, as CRD', async () => {
  await expect(crdYaml(sample)).toMatchFileSnapshot(join(FOLDER, 'sample.out.yaml'))
})

it('and as page of the reference', async () => {
  await expect(referencePage(sample)).toMatchFileSnapshot(join(FOLDER, 'sample.out.md'))
})

it.each<[string, z.ZodType, string]>([
  ['a union', z.union([z.string().max(1), z.int()]), '.field: undefined has no structural form'],
  ['anything', z.any(), '.field: undefined has no structural form'],
  ['a number that is not whole', z.number().min(0).max(1), '.field: number has no structural form'],
  ['null', z.string().max(1).nullable(), '.field: nullable of string has no structural form'],
  ['a list without a list type', z.array(z.string().max(1)).max(1), '.field: list without a list type'],
  ['an object that lets more in', z.looseObject({}), '.field: not strict'],
  [
    'a map with bounded keys',
    z.record(z.string().max(3), z.string().max(4)),
    'bounds of the keys of a map have no structural form',
  ],
  ['a step of a number', z.int().min(0).max(8).multipleOf(2), '.field: multipleOf of integer has no structural form'],
  ['a list below a list', z.array(z.array(z.int()).max(1)).max(1).meta(SET), '.field[]: list without a list type'],
])('%s has no structural form', (_, field, message) => {
  expect(() => structural(z.strictObject({ field }))).toThrow(message)
})

it('a schema that stands in two places is written out in both', () => {
  const shared = z.strictObject({ name: z.string().max(1) })
  const { properties } = structural(z.strictObject({ one: shared, two: shared }))
  expect(properties?.one).toEqual(properties?.two)
  expect(JSON.stringify(properties)).not.toContain('$ref')
})

it('a rule about anything but a part of its self is refused', () => {
  const [rule] = sample.rules
  const rules = rule === undefined ? [] : [{ ...rule, fieldPath: 'metadata.name' }]
  expect(() => crdYaml({ ...sample, rules })).toThrow('Sample OfSpec: metadata.name is not below spec')
})
