import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ScriptedTarget } from '../../../test/fixtures/edge/scripted-target.ts'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import type { Route } from '../router/route.ts'
import type { NorthboundSession } from './northbound-session.ts'
import { SessionTable } from './session-table.ts'

const IDLE_MS = 60_000
const target = new ScriptedTarget()
const a: Route = { name: 'default/a', path: '/a', target, limits: {} }
const b: Route = { name: 'default/b', path: '/b', target, limits: {} }

function table(sessionsPerRoute = 10) {
  const clock = new VirtualClock()
  const idle: NorthboundSession[] = []
  const sessions = new SessionTable({
    sessionsPerRoute,
    idleMs: IDLE_MS,
    clock,
    random: (octets) => randomBytes(octets),
    onIdle: (session) => idle.push(session),
  })
  return { clock, idle, sessions }
}

function opened(sessions: SessionTable, route: Route): NorthboundSession {
  const session = sessions.open(route)
  if (session === undefined) throw new Error('no session to be had')
  return session
}

describe('northbound sessions', () => {
  it('have a key of 16 octets and a name for the client that tells nothing of it', () => {
    const { sessions } = table()
    const one = opened(sessions, a)
    const two = opened(sessions, a)
    expect(one.session.key).toHaveLength(16)
    expect(one.session.id).toBe(Buffer.from(one.session.key).toString('hex'))
    expect(one.edgeId).toMatch(/^[0-9a-f]{48}$/)
    expect(one.edgeId).not.toContain(one.session.id)
    expect(one.edgeId).not.toBe(two.edgeId)
  })

  it('are found by that name on their own route only', () => {
    const { sessions } = table()
    const one = opened(sessions, a)
    expect(sessions.find(one.edgeId, a)).toBe(one)
    expect(sessions.find(one.edgeId, b)).toBeUndefined()
    expect(sessions.find('nobody', a)).toBeUndefined()
    expect(sessions.find(one.session.id, a)).toBeUndefined()
  })

  it('are bounded per route, and a forgotten one makes room', () => {
    const { sessions } = table(2)
    const one = opened(sessions, a)
    opened(sessions, a)
    expect(sessions.open(a)).toBeUndefined()
    opened(sessions, b)
    expect(sessions.forget(one)).toBe(true)
    expect(sessions.forget(one)).toBe(false)
    expect(sessions.find(one.edgeId, a)).toBeUndefined()
    opened(sessions, a)
    expect(sessions.size).toBe(3)
  })

  it('can be forgotten by the key that the target knows', () => {
    const { sessions } = table()
    const one = opened(sessions, a)
    expect(sessions.forgetByKey(one.session.id)).toBe(true)
    expect(sessions.forgetByKey(one.session.id)).toBe(false)
    expect(sessions.size).toBe(0)
  })

  it('end when nobody used them for the idle time, and not before', () => {
    const { sessions, clock, idle } = table()
    const one = opened(sessions, a)
    clock.advance(IDLE_MS - 1)
    expect(sessions.find(one.edgeId, a)).toBe(one)
    clock.advance(IDLE_MS - 1)
    expect(sessions.find(one.edgeId, a)).toBe(one)
    clock.advance(IDLE_MS)
    expect(sessions.find(one.edgeId, a)).toBeUndefined()
    expect(idle).toEqual([one])
  })

  it('are swept without being asked for, and the sweep ends with the last of them', () => {
    const { sessions, clock, idle } = table()
    const one = opened(sessions, a)
    clock.advance(IDLE_MS * 2)
    expect(idle).toEqual([one])
    expect(sessions.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('do not end while a request is open in them', () => {
    const { sessions, clock, idle } = table()
    const one = opened(sessions, a)
    one.takeId('n1e0')
    clock.advance(IDLE_MS * 10)
    expect(idle).toEqual([])
    one.releaseId('n1e0', clock.now())
    clock.advance(IDLE_MS * 2)
    expect(idle).toEqual([one])
  })

  it('take an id once, until it is released', () => {
    const { sessions, clock } = table()
    const one = opened(sessions, a)
    const two = opened(sessions, a)
    expect(one.takeId('n1e0')).toBe(true)
    expect(one.takeId('n1e0')).toBe(false)
    expect(two.takeId('n1e0')).toBe(true)
    one.releaseId('n1e0', clock.now())
    expect(one.takeId('n1e0')).toBe(true)
  })

  it('are handed over when the table is cleared', () => {
    const { sessions, clock } = table()
    const all = [opened(sessions, a), opened(sessions, b)]
    expect(sessions.clear()).toEqual(all)
    expect(sessions.size).toBe(0)
    expect(clock.pending).toBe(0)
  })
})
