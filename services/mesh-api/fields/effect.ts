import { z } from 'zod'

/** The effect classes of the SafetyLabel, from the least to the greatest; digest 04. */
const EFFECTS = ['readOnly', 'idempotentWrite', 'nonIdempotentWrite', 'destructive'] as const

export const effect = () => z.enum(EFFECTS)
