import { grantRules } from './grant-rule.ts'
import type { Rule } from './kind.ts'

export const cardRules: readonly Rule[] = [
  {
    id: 'ExactlyOneSource',
    message: 'exactly one of inline, configMapRef and backendRef must be set, as in backendRef: {name: agent}',
    fieldPath: 'spec.source',
    cel: '[has(self.source.inline), has(self.source.configMapRef), has(self.source.backendRef)].filter(one, one).size() == 1',
  },
  {
    id: 'AnchorRequired',
    message: 'mode required needs a TrustAnchor, without which no signature is good, as in [{name: partners}]',
    fieldPath: 'spec.verification.trustAnchorRefs',
    cel: "self.verification.mode != 'required' || self.verification.trustAnchorRefs.size() > 0",
  },
  {
    id: 'SignerOfMeshCard',
    message: 'relayRef and jwksURL belong to mode mesh; a card served verbatim is not signed',
    fieldPath: 'spec.signing',
    cel: "self.signing.mode == 'mesh' || (!has(self.signing.relayRef) && !has(self.signing.jwksURL))",
  },
  ...grantRules,
]
