import type { IdentitySlot } from '@causeway/mesh-api'
import { decideIdentity } from './decide.ts'
import type { IdentityDecision } from './decision.ts'
import type { IdentityFacts, IdentityStatus, SlotFacts, SlotKey } from './facts.ts'
import { activeStatus, announcedStatus, settledStatus, switchedStatus } from './next-status.ts'

const OVERLAP_MS = 1_000
const EVERY_MS = 5_000
const NAMES = { a: 'x-a', b: 'x-b' } as const

interface Stored {
  readonly key: SlotKey
  /** What a precondition compares. */
  readonly uid: number
}

interface Plan {
  readonly decision: IdentityDecision
  readonly facts: IdentityFacts
  readonly statusVersion: number
  readonly uids: Readonly<Record<IdentitySlot, number | undefined>>
}

/**
 * An API server in small, with conditional writes, and two operators that look, decide, and write later: between the two
 * anything may have happened.
 */
export class IdentityModel {
  readonly violations: string[] = []
  switches = 0
  #nowMs = 1_000_000
  #status: IdentityStatus | undefined
  #statusVersion = 0
  #uid = 0
  #handles = 0
  #announcedAtMs = 0
  readonly #slots = new Map<IdentitySlot, Stored>()
  readonly #plans = new Map<number, Plan>()

  /** 0 looks and decides, 1 writes what was decided, 2 lets time pass, 3 lets much pass. */
  move(actor: number, act: number): void {
    if (act === 0) this.#plans.set(actor, this.#plan())
    else if (act === 1) this.#write(actor)
    else this.#nowMs += act === 2 ? OVERLAP_MS / 3 : EVERY_MS
    this.#check()
  }

  /** Nobody is stopped any more: whatever was left is brought to an end, and one rotation more. */
  settle(): void {
    const until = this.switches + 1
    for (let step = 0; step < 200 && this.switches < until; step++) {
      for (const act of [0, 1, 2]) this.move(0, act)
    }
    for (const act of [1, 0, 1]) this.move(1, act)
  }

  #plan(): Plan {
    const held = (slot: IdentitySlot): SlotFacts => this.#slots.get(slot)?.key ?? { kind: 'absent' }
    const facts: IdentityFacts = {
      uid: 'uid',
      status: this.#status,
      slots: { a: held('a'), b: held('b') },
      secretNames: NAMES,
      algorithm: 'Ed25519',
      everyMs: EVERY_MS,
      overlapMs: OVERLAP_MS,
      deletionPolicy: 'Retain',
      isRotationWanted: false,
      statementNotAfterMs: Number.MAX_SAFE_INTEGER,
      peersBehind: [],
      instancesBehind: [],
      settleMs: 10,
      nowMs: this.#nowMs,
    }
    const uids = { a: this.#slots.get('a')?.uid, b: this.#slots.get('b')?.uid }
    return { decision: decideIdentity(facts), facts, statusVersion: this.#statusVersion, uids }
  }

  #write(actor: number): void {
    const plan = this.#plans.get(actor)
    if (plan === undefined) return
    this.#plans.delete(actor)
    const { decision } = plan
    if (decision.kind === 'createKey') this.#create(decision.slot, decision.sequence)
    else if (decision.kind === 'deleteKey') this.#delete(decision.slot, plan.uids[decision.slot])
    else if (decision.kind === 'stuck') this.violations.push(decision.message)
    else if (decision.kind !== 'steady' && decision.kind !== 'letGo') this.#writeStatus(plan)
  }

  #create(slot: IdentitySlot, sequence: number): void {
    if (this.#slots.has(slot)) return // AlreadyExists
    this.#handles += 1
    const peerHandle = `key ${this.#handles}`
    this.#slots.set(slot, {
      key: { kind: 'key', peerHandle, algorithm: 'Ed25519', sequence, ownerUid: undefined },
      uid: ++this.#uid,
    })
  }

  #delete(slot: IdentitySlot, uid: number | undefined): void {
    if (this.#slots.get(slot)?.uid === uid) this.#slots.delete(slot) // else Conflict
  }

  #writeStatus({ decision, facts, statusVersion }: Plan): void {
    if (statusVersion !== this.#statusVersion) return // Conflict
    const next = this.#nextStatus(decision, facts)
    if (next === undefined) return
    if (next.state === 'Announced') this.#announcedAtMs = this.#nowMs
    if (next.state === 'Switched') {
      this.switches += 1
      if (this.#nowMs - this.#announcedAtMs < OVERLAP_MS) this.violations.push('the overlap was cut short')
      if (next.peerHandle !== this.#status?.next) this.violations.push('switched to what was not announced')
    }
    this.#status = next
    this.#statusVersion += 1
  }

  #nextStatus(decision: IdentityDecision, { slots, status, nowMs }: IdentityFacts): IdentityStatus | undefined {
    if (decision.kind === 'adopt') {
      const key = slots[decision.slot]
      return key.kind === 'key' ? activeStatus(key, NAMES[decision.slot], nowMs) : undefined
    }
    if (status === undefined) return undefined
    if (decision.kind === 'announce') {
      const key = slots[decision.slot]
      if (key.kind !== 'key') return undefined
      const secretName = NAMES[decision.slot]
      return announcedStatus(status, { peerHandle: key.peerHandle, secretName, successor: '' }, nowMs)
    }
    if (decision.kind === 'switch') return switchedStatus(status, nowMs)
    return settledStatus(status, decision.kind === 'retire' ? 'Retired' : 'Active', nowMs)
  }

  #check(): void {
    const status = this.#status
    if (status === undefined) return
    const held = [...this.#slots.values()].map(({ key }) => key.peerHandle)
    if (!held.includes(status.peerHandle)) this.violations.push(`the key of ${status.peerHandle} is lost`)
  }
}
