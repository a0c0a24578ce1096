import type { ConditionType } from './kind.ts'

/** The conditions of every kind, in the order in which a reader asks. CONTROL section 4 has what each value means. */
const ACCEPTED: ConditionType = {
  type: 'Accepted',
  writer: 'operator',
  says: 'The object is valid, what it refers to exists and may be used, and nothing that came first collides with it.',
}

const PROGRAMMED: ConditionType = {
  type: 'Programmed',
  writer: 'control plane',
  says: 'Every connected relay instance that it concerns has accepted this generation.',
}

export const RELAY_CONDITIONS: readonly ConditionType[] = [
  ACCEPTED,
  { type: 'Ready', writer: 'operator', says: 'The instances of the relay run, and its identity is there.' },
  PROGRAMMED,
  { type: 'AuditReady', writer: 'control plane', says: 'Every connected instance can write its audit log.' },
]

export const PEER_CONDITIONS: readonly ConditionType[] = [
  ACCEPTED,
  PROGRAMMED,
  {
    type: 'Reachable',
    writer: 'control plane',
    says: 'Every relay that it is for has an association with the peer. Unknown while an onDemand peer is not dialled.',
  },
  {
    type: 'PostQuantum',
    writer: 'control plane',
    says: 'The outer TLS to the peer has a post-quantum key exchange, on every relay that it is for.',
  },
  { type: 'IdentityExpiring', writer: 'control plane', says: 'The pinned identity of the peer ends soon.' },
  {
    type: 'SuccessorPinned',
    writer: 'control plane',
    says: 'A successor statement of the peer was verified, and its next identity is pinned beside the current one.',
  },
]

export const BACKEND_CONDITIONS: readonly ConditionType[] = [
  ACCEPTED,
  PROGRAMMED,
  { type: 'Reachable', writer: 'control plane', says: 'Every relay that it is for reaches the server.' },
  { type: 'Authorized', writer: 'control plane', says: 'The server accepts the credentials that the relays send.' },
]

export const ROUTE_CONDITIONS: readonly ConditionType[] = [ACCEPTED, PROGRAMMED]

export const POLICY_CONDITIONS: readonly ConditionType[] = [
  ACCEPTED,
  { type: 'Attached', writer: 'operator', says: 'There is at least one object that the policy is for.' },
  { type: 'Enforced', writer: 'control plane', says: 'Every connected relay instance that it concerns decides by it.' },
]

const PUBLISHED = (what: string): ConditionType => ({
  type: 'Published',
  writer: 'control plane',
  says: `Every connected relay instance that it concerns offers ${what}.`,
})

export const RECORD_CONDITIONS: readonly ConditionType[] = [
  ACCEPTED,
  { type: 'Signed', writer: 'operator', says: 'Every relay that it is for has signed this generation.' },
  PUBLISHED('the signed record'),
]

export const CARD_CONDITIONS: readonly ConditionType[] = [
  ACCEPTED,
  { type: 'Verified', writer: 'operator', says: 'A signature of the card is good, and its key is trusted.' },
  { type: 'Signed', writer: 'operator', says: 'The card of the mesh is signed, and made of this generation.' },
  PUBLISHED('the card'),
]

export const ANCHOR_CONDITIONS: readonly ConditionType[] = [ACCEPTED]

export const APPROVAL_CONDITIONS: readonly ConditionType[] = [
  { type: 'Decided', writer: 'control plane', says: 'A person has decided, in time.' },
]

export const ACCESS_KEY_CONDITIONS: readonly ConditionType[] = [ACCEPTED, PROGRAMMED]
