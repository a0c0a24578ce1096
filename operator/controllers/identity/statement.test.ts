import { verifySuccessor } from '@causeway/npamp'
import { newIdentityPem, nodeProvider, parseIdentity } from '@causeway/npamp/crypto/node'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { statementEndMs, statementOf } from './statement.ts'

const DAY_MS = 24 * 3_600_000
const NOW_MS = Date.UTC(2026, 11, 1)
const provider = nodeProvider()
const identity = () => parseIdentity('key.pem', newIdentityPem())
const [one, two, three] = [identity(), identity(), identity()]

const statement = (overlapMs: number) =>
  statementOf({ current: one.key, next: two.key }, { nowMs: NOW_MS, overlapMs }, provider)

describe('the statement of an announced key', () => {
  it('names both keys, as whoever has pinned the current one verifies it', () => {
    const check = { current: one.key, nowS: NOW_MS / 1000, provider }
    expect(verifySuccessor(Buffer.from(statement(7 * DAY_MS), 'base64'), check)).toMatchObject({
      nextHandle: two.peerHandle,
    })
  })

  it(`${requirement('OPR-006')} holds for two overlaps, and a day at least`, () => {
    const endOf = (text: string | undefined, nowMs = NOW_MS) =>
      statementEndMs(text, { current: one.key, nextHandle: two.peerHandle }, nowMs, provider)
    expect(endOf(statement(7 * DAY_MS))).toBe(NOW_MS + 14 * DAY_MS)
    expect(endOf(statement(1_000))).toBe(NOW_MS + DAY_MS)
    expect(endOf(statement(1_000), NOW_MS - 240_000)).toBeDefined()
    expect(endOf(statement(1_000), NOW_MS + 2 * DAY_MS)).toBeUndefined()
  })

  it(`${requirement('OPR-006')} is none of other keys, and none that somebody altered`, () => {
    const of = (text: string | undefined, current = one.key, nextHandle: string | undefined = two.peerHandle) =>
      statementEndMs(text, { current, nextHandle }, NOW_MS, provider)
    const good = statement(DAY_MS)
    expect(of(good)).toBeDefined()
    expect(of(good, three.key)).toBeUndefined()
    expect(of(good, one.key, three.peerHandle)).toBeUndefined()
    expect(of(undefined)).toBeUndefined()
    const octets = Buffer.from(good, 'base64')
    octets[octets.length - 1] = (octets.at(-1) ?? 0) ^ 1
    expect(of(octets.toString('base64'))).toBeUndefined()
  })
})
