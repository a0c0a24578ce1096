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
