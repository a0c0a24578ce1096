import { z } from 'zod'
import { labelMap } from './labels.ts'

/** CONTROL section 1: the target grants. */
export const allowedNamespaces = () =>
  z
    .strictObject({
      from: z
        .enum(['Same', 'All', 'Selector'])
        .default('Same')
        .describe(
          'Same: only those of the same namespace. All: of any namespace. Selector: of the namespaces of selector.',
        ),
      selector: z
        .strictObject({
          matchLabels: labelMap().describe(
            'Labels that a namespace must have, all of them. Without Kubernetes a namespace has only ' +
              'kubernetes.io/metadata.name, which is its name.',
          ),
        })
        .optional()
        .describe('With from Selector: which namespaces.'),
    })
    .prefault({})
    .describe('Which namespaces may have objects that refer to this one.')

/** What a grant says; `allowedNamespaces` of a validated object. */
export interface Grant {
  readonly from: 'Same' | 'All' | 'Selector'
  readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> } | undefined
}
