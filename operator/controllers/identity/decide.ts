import type { IdentitySlot } from '@causeway/mesh-api'
import { recount, rotationDueMs, steady, waiting } from './decide-time.ts'
import type { IdentityDecision } from './decision.ts'
import type { IdentityFacts, IdentityStatus, SlotFacts, SlotKey } from './facts.ts'

export function decideIdentity(facts: IdentityFacts): IdentityDecision {
  const { status } = facts
  if (status === undefined) return whileNew(facts)
  const slot = slotOf(facts, status.secretName)
  const current = requireKey(facts, slot, status)
  if (current.kind === 'stuck') return current
  const step = stepOf(facts, status, slot, current)
  return step.kind === 'steady' ? (recount(facts, status) ?? ownership(facts) ?? step) : step
}

function stepOf(facts: IdentityFacts, status: IdentityStatus, slot: IdentitySlot, current: SlotKey): IdentityDecision {
  switch (status.state) {
    case 'Announced':
      return whileAnnounced(facts, status)
    case 'Switched':
      return whileSwitched(facts, status)
    default:
      return whileSettled(facts, status, slot, current)
  }
}

/** No status: a relay that is new, or was deleted and is there again. Keys are adopted by their names. */
function whileNew({ slots, secretNames, uid }: IdentityFacts): IdentityDecision {
  const { a, b } = slots
  // The garbage collector is about to remove it: adopted, it would be lost.
  if (isOfFormer(a, uid) || isOfFormer(b, uid)) return { kind: 'letGo', againAfterMs: LEAVING_MS }
  if (a.kind === 'key' && b.kind === 'key') {
    // In the middle of a rotation: peers know the older one for certain.
    return { kind: 'adopt', slot: b.sequence < a.sequence ? 'b' : 'a' }
  }
  if (a.kind === 'key') return { kind: 'adopt', slot: 'a' }
  if (b.kind === 'key') return { kind: 'adopt', slot: 'b' }
  for (const slot of ['a', 'b'] as const) {
    const held = slots[slot]
    if (held.kind === 'damaged') return damaged(secretNames[slot], held.why)
  }
  return { kind: 'createKey', slot: 'a', sequence: 1 }
}

function whileSettled(
  facts: IdentityFacts,
  status: IdentityStatus,
  slot: IdentitySlot,
  current: SlotKey,
): IdentityDecision {
  const other = otherSlot(slot)
  const held = facts.slots[other]
  if (held.kind === 'key' && held.sequence > current.sequence)
    return { kind: 'announce', slot: other, isRenewal: false }
  // Only what an operator made and used is deleted.
  if (held.kind === 'key' && held.sequence > 0 && held.sequence < current.sequence)
    return { kind: 'deleteKey', slot: other }
  const dueMs = rotationDueMs(facts, status, current)
  if (dueMs === undefined) return { kind: 'steady' }
  if (dueMs > facts.nowMs) return steady(dueMs - facts.nowMs)
  if (held.kind === 'absent') return { kind: 'createKey', slot: other, sequence: current.sequence + 1 }
  return waiting(`Secret ${facts.secretNames[other]}, which holds something that no operator made, to be moved away`)
}

function whileAnnounced(facts: IdentityFacts, status: IdentityStatus): IdentityDecision {
  if (facts.isRotationWanted) return { kind: 'clearRequest' }
  const nextSlot = slotOf(facts, status.nextSecretName)
  const next = facts.slots[nextSlot]
  if (next.kind !== 'key' || next.peerHandle !== status.next) return { kind: 'abandonNext' }
  const { nowMs, overlapMs, statementNotAfterMs } = facts
  // Whoever was away for long must still find a statement that holds.
  if (statementNotAfterMs === undefined || statementNotAfterMs - nowMs < overlapMs / 2)
    return { kind: 'announce', slot: nextSlot, isRenewal: true }
  const leftMs = Math.min(Date.parse(status.since) + overlapMs - nowMs, overlapMs)
  if (leftMs > 0) return steady(leftMs, 'the overlap to pass')
  if (facts.peersBehind.length > 0) return waiting(`${some(facts.peersBehind)} to accept the next key`)
  return { kind: 'switch' }
}

function whileSwitched(facts: IdentityFacts, status: IdentityStatus): IdentityDecision {
  if (facts.isRotationWanted) return { kind: 'clearRequest' }
  const leftMs = Math.min(Date.parse(status.since) + facts.settleMs - facts.nowMs, facts.settleMs)
  if (leftMs > 0) return steady(leftMs, 'open associations to move')
  if (facts.instancesBehind.length > 0) return waiting(`${some(facts.instancesBehind)} to sign with the new key`)
  return { kind: 'retire' }
}

/** CONTROL section 5: a Secret that vanishes after first issue is never silently replaced. */
function requireKey(facts: IdentityFacts, slot: IdentitySlot, status: IdentityStatus) {
  const held: SlotFacts = facts.slots[slot]
  const { secretName, peerHandle } = status
  if (held.kind === 'absent') {
    return lost(`Secret ${secretName} with the key of ${peerHandle} is gone`)
  }
  if (held.kind === 'damaged') return damaged(secretName, held.why)
  if (held.peerHandle !== peerHandle) {
    return lost(`Secret ${secretName} holds the key of ${held.peerHandle}, not of ${peerHandle}`)
  }
  return held
}

/** CONTROL section 5: identity Secrets go with their MeshRelay only where it says so. */
function ownership({ slots, deletionPolicy, uid }: IdentityFacts): IdentityDecision | undefined {
  const isOwned = deletionPolicy === 'Delete'
  for (const slot of ['a', 'b'] as const) {
    const held = slots[slot]
    if (held.kind === 'key' && held.ownerUid !== (isOwned ? uid : undefined)) return { kind: 'setOwner', slot, isOwned }
  }
  return undefined
}

function isOfFormer(held: SlotFacts, uid: string): boolean {
  return held.kind !== 'absent' && held.ownerUid !== undefined && held.ownerUid !== uid
}

function lost(what: string) {
  const message = `${what}; restore it, or delete the MeshRelay and make it again to give it a new identity`
  return { kind: 'stuck', reason: 'IdentityLost', message } as const
}

function damaged(secretName: string, why: string) {
  const message = `Secret ${secretName} ${why}; restore it, or delete it together with the MeshRelay for a new identity`
  return { kind: 'stuck', reason: 'IdentityDamaged', message } as const
}

function slotOf({ secretNames }: IdentityFacts, secretName: string | undefined): IdentitySlot {
  return secretName === secretNames.b ? 'b' : 'a'
}

function otherSlot(slot: IdentitySlot): IdentitySlot {
  return slot === 'a' ? 'b' : 'a'
}

const NAMED = 3
const LEAVING_MS = 1_000

function some(names: readonly string[]): string {
  const rest = names.length - NAMED
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
