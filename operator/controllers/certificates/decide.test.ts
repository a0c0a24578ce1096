import { beforeAll, describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { issueLeaf, type KeyPair, mintAuthority } from '../../pki/authority.ts'
import { bundleDigest, bundleOf } from '../../pki/bundle.ts'
import { type CertificateFacts, factsOf, nameText } from '../../pki/facts.ts'
import { relaySubject } from '../../pki/names.ts'
import { type AuthorityFacts, decideAuthority, type NextAuthority, trustOf } from './decide-authority.ts'
import { decideLeaf, type LeafFacts } from './decide-leaf.ts'
import { LIVES } from './lives.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 11, 1, 4)
const SUBJECT = relaySubject({ trustDomain: 'causeway.local', namespace: 'shop', name: 'edge', uid: 'u' })

function read(pair: KeyPair): CertificateFacts {
  const facts = factsOf(pair)
  if (facts === undefined) throw new Error('not readable')
  return facts
}

let old: CertificateFacts
let young: CertificateFacts
let leaf: CertificateFacts
beforeAll(async () => {
  const validity = { nowMs: NOW_MS, lifeMs: LIVES.authorityMs }
  const pair = await mintAuthority(validity)
  old = read(pair)
  young = read(await mintAuthority(validity))
  leaf = read(await issueLeaf(pair, SUBJECT, { nowMs: NOW_MS, lifeMs: LIVES.leafMs }))
})

describe('a leaf is issued', () => {
  const decide = (facts: Partial<LeafFacts>) =>
    decideLeaf({ held: leaf, names: SUBJECT.names.map(nameText).sort(), issuer: old, nowMs: NOW_MS, ...facts })

  it(`${requirement('OPR-001')} not while the one that is there is good`, () => {
    expect(decide({})).toEqual({ kind: 'keep', renewAtMs: NOW_MS + 16 * HOUR_MS })
  })

  it.each([
    ['Missing', () => ({ held: undefined })],
    ['Damaged', () => ({ held: 'damaged' as const })],
    ['OtherNames', () => ({ names: ['url:another'] })],
    ['OtherAuthority', () => ({ issuer: young })],
    ['NotYetValid', () => ({ nowMs: leaf.notBeforeMs - 1 })],
    ['RenewalDue', () => ({ nowMs: leaf.notBeforeMs + 17 * HOUR_MS })],
    ['RenewalDue', () => ({ nowMs: leaf.notAfterMs + 1 })],
  ])(`${requirement('OPR-001')} for %s`, (reason, facts) => {
    expect(decide(facts())).toEqual({ kind: 'issue', reason })
  })
})

describe('the rotation of the authority', () => {
  const decide = (facts: Partial<AuthorityFacts>) =>
    decideAuthority({
      current: old,
      next: undefined,
      isRotationWanted: false,
      reports: [],
      leavesOfOthers: 0,
      lives: LIVES,
      nowMs: NOW_MS,
      ...facts,
    })
  const published = (issuesSinceMs?: number): NextAuthority => ({
    facts: young,
    publishedAtMs: NOW_MS - LIVES.settleMs,
    issuesSinceMs,
  })
  const both = () => bundleDigest(bundleOf([old, young]))

  it(`${requirement('OPR-002')} begins with none, by itself at two thirds of a life, or when asked`, () => {
    expect(decide({ current: undefined }).kind).toBe('create')
    expect(decide({}).kind).toBe('steady')
    expect(decide({ nowMs: NOW_MS + (LIVES.authorityMs * 2) / 3 }).kind).toBe('publishNext')
    expect(decide({ isRotationWanted: true }).kind).toBe('publishNext')
  })

  it(`${requirement('OPR-002')} does not begin a second time while one is under way`, () => {
    expect(decide({ next: published(), isRotationWanted: true, reports: [] }).kind).toBe('issueFromNext')
  })

  it(`${requirement('OPR-002')} waits until every instance has read old and new, and names those that have not`, () => {
    const reports = [
      { instance: 'shop/a-0', bundleSHA256: both() },
      { instance: 'shop/a-1', bundleSHA256: bundleDigest(bundleOf([old])) },
      { instance: 'shop/b-0', bundleSHA256: undefined },
    ]
    expect(decide({ next: published(), reports })).toMatchObject({
      kind: 'steady',
      waitsFor: 'shop/a-1, shop/b-0 to read the new trust bundle',
    })
    const ready = reports.map((report) => ({ ...report, bundleSHA256: both() }))
    expect(decide({ next: published(), reports: ready }).kind).toBe('issueFromNext')
  })

  it(`${requirement('OPR-009')} waits for mounted files in any case; a clock that was set back does not make that endless`, () => {
    const next = { ...published(), publishedAtMs: NOW_MS }
    expect(decide({ next })).toMatchObject({ kind: 'steady', againAfterMs: LIVES.settleMs })
    expect(decide({ next, nowMs: NOW_MS - 30 * 24 * HOUR_MS })).toMatchObject({ againAfterMs: LIVES.settleMs })
  })

  it(`${requirement('OPR-002')} drops the old one once nothing it issued is in use`, () => {
    const since = NOW_MS - LIVES.settleMs
    expect(decide({ next: published(since), leavesOfOthers: 2 })).toMatchObject({ waitsFor: /2 certificates/ })
    expect(decide({ next: published(NOW_MS) }).kind).toBe('steady')
    expect(decide({ next: published(since) }).kind).toBe('promoteNext')
  })

  it(`${requirement('OPR-002')} ends: a next one that is the current one is left over`, () => {
    expect(decide({ current: young, next: published(NOW_MS) }).kind).toBe('removeNext')
  })

  it(`${requirement('OPR-003')} never replaces what it cannot read`, () => {
    expect(decide({ current: 'damaged', isRotationWanted: true })).toEqual({ kind: 'damaged', which: 'current' })
    expect(decide({ next: 'damaged' })).toEqual({ kind: 'damaged', which: 'next' })
  })

  it(`${requirement('OPR-003')} goes on with the next one when the current one is deleted on the way`, () => {
    expect(decide({ current: undefined, next: published() }).kind).toBe('promoteNext')
  })

  it(`${requirement('OPR-002')} trusts both until it is over, and issues from the one that everybody trusts`, () => {
    expect(trustOf(old, undefined)).toEqual({ authorities: [old], issuer: 'current' })
    expect(trustOf(old, published())).toEqual({ authorities: [old, young], issuer: 'current' })
    expect(trustOf(old, published(NOW_MS))).toEqual({ authorities: [young, old], issuer: 'next' })
  })
})
