import { z } from 'zod'

/** The form of metav1.Condition, and the fields that status is made of. */
export function conditions() {
  return z
    .array(condition)
    .max(16)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .optional()
    .describe('What is true of this object, one entry for each type. Every type has one writer.')
}

export const truth = () => z.enum(['True', 'False', 'Unknown'])

/** Generations count changes; they stay far below what a number holds exactly. */
export const generation = () =>
  z
    .int()
    .min(0)
    .max(2 ** 52)

export const time = () => z.string().max(64).meta({ format: 'date-time' })

/** Stable, for machines. */
export const reason = () =>
  z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/, 'must be CamelCase, such as NotFound')

export const text = () => z.string().max(32_768)

const condition = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(316)
    .regex(/^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/, 'must be CamelCase, such as NotFound')
    .describe('The type, such as Programmed.'),
  status: truth().describe('Whether it is so.'),
  observedGeneration: generation()
    .optional()
    .describe('The metadata.generation that this is about; older than the object: not judged yet.'),
  lastTransitionTime: time().describe('When status last changed.'),
  reason: reason().describe('Why, for machines.'),
  message: text().describe('Why, for a person: it names the field or the instance.'),
})
