import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { SET } from '../fields/list-types.ts'
import { headerName, toolPattern } from '../fields/names.ts'
import { dataRef, reference } from '../fields/reference.ts'
import { instant } from '../fields/time.ts'
import type { Resource } from './kind.ts'

const grant = z.strictObject({
  routeRef: reference('a MeshRoute whose authentication takes access keys').describe('The route.'),
  tools: z
    .array(toolPattern())
    .min(1)
    .max(256)
    .meta(SET)
    .optional()
    .describe('The tools that the key may see and call; a * at the end stands for any rest. Absent: all.'),
})

export const accessKeySpec = z
  .strictObject({
    owner: z.string().min(1).max(512).describe('Who is calling with this key: the principal.'),
    groups: z
      .array(z.string().min(1).max(253).describe('The name of a group.'))
      .max(64)
      .meta(SET)
      .default([])
      .describe('The groups of the principal, for policies.'),
    secretRef: dataRef('Secret').describe('The key itself.'),
    disabled: z.boolean().default(false).describe('true: the key is refused, and stays known.'),
    expiresAt: instant().optional().describe('When it ends. Absent: never.'),
    allow: z
      .array(grant)
      .max(64)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .default([])
      .describe('What the key opens. Empty: nothing.'),
    narrowingHeader: headerName()
      .optional()
      .describe('A request header whose value, names of tools with commas between, narrows what the key opens.'),
    budget: z
      .strictObject({
        calls: z.int().min(1).max(1_000_000_000).describe('So many calls.'),
        per: duration().default('24h').describe('In this time.'),
      })
      .optional()
      .describe('What the key may spend. Absent: no limit of its own.'),
  })
  .describe('A key that stands for a person or a program.')

export type AccessKeySpec = z.output<typeof accessKeySpec>
export type AccessKey = Resource<'AccessKey', AccessKeySpec>
