import { z } from 'zod'

/** An amount as Kubernetes writes it; the forms that people use, without exponents and signs. */
export const quantity = (example: string) =>
  z
    .string()
    .min(1)
    .max(32)
    .regex(
      /^[0-9]{1,12}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/,
      `must be a quantity of Kubernetes such as ${example}`,
    )

/** What a container asks for, and may not exceed. */
export const containerResources = () =>
  z
    .strictObject({
      requests: amounts().describe('What the scheduler reserves.'),
      limits: amounts().describe('What it may not exceed.'),
    })
    .prefault({})

function amounts() {
  return z
    .strictObject({
      cpu: quantity('250m').optional().describe('Processors, such as 250m.'),
      memory: quantity('256Mi').optional().describe('Memory, such as 256Mi.'),
    })
    .prefault({})
}
