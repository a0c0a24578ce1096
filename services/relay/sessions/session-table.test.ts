import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ScriptedTarget } from '../../../test/fixtures/edge/scripted-target.ts'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import type { Route } from '../router/route.ts'
import type { NorthboundSession } from './northbound-session.ts'
import { EventBudget } from './session-events.ts'
import { SessionTable } from './session-table.ts'

const IDLE_MS = 60_000
const WHO = 'anonymous'
const target = new ScriptedTarget()
const a: Route = { name: 'default/a', path: '/a', target, limits: {} }
const b: Route = { name: 'default/b', path: '/b', target, limits: {} }

function table(sessionsPerRoute = 10) {
  const clock = new VirtualClock()
  const idle: NorthboundSession[] = []
  const forgotten: NorthboundSession[] = []
  const sessions = new SessionTable({
    sessionsPerRoute,
    idleMs: IDLE_MS,
    clock,
    random: (octets) => randomBytes(octets),
    onIdle: (session) => idle.push(session),
    sessionsPerPrincipal: 100,
    onForgotten: (session) => forgotten.push(session),
    shared: {
      events: { events: 10, octets: 1_000 },
      budget: new EventBudget(10_000),
      maxServerRequests: 2,
      onEventDropped() {},
      onNotification() {},
    },
  })
  return { clock, idle, forgotten, sessions }
}

function opened(sessions: SessionTable, route: Route): NorthboundSession {
  const session = sessions.open(route, WHO)
  if ('full' in session) throw new Error('no session to be had')
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
    expect(sessions.find(one.edgeId, a, WHO)).toBe(one)
    expect(sessions.find(one.edgeId, b, WHO)).toBeUndefined()
    expect(sessions.find('nobody', a, WHO)).toBeUndefined()
    expect(sessions.find(one.session.id, a, WHO)).toBeUndefined()
  })

  it('are bounded per route, and a forgotten one makes room', () => {
    const { sessions } = table(2)
    const one = opened(sessions, a)
    opened(sessions, a)
    expect(sessions.open(a, WHO)).toEqual({ full: 'route', limit: 2 })
    opened(sessions, b)
    expect(sessions.forget(one)).toBe(true)
    expect(sessions.forget(one)).toBe(false)
    expect(sessions.find(one.edgeId, a, WHO)).toBeUndefined()
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
    expect(sessions.find(one.edgeId, a, WHO)).toBe(one)
    clock.advance(IDLE_MS - 1)
    expect(sessions.find(one.edgeId, a, WHO)).toBe(one)
    clock.advance(IDLE_MS)
    expect(sessions.find(one.edgeId, a, WHO)).toBeUndefined()
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

  it('do not end while the client waits for something, but do while a call goes on that its client has left', () => {
    const { sessions, clock, idle } = table()
    const one = opened(sessions, a)
    one.takeId('n1e0')
    one.beginUse()
    clock.advance(IDLE_MS * 10)
    expect(idle).toEqual([])
    one.endUse(clock.now())
    clock.advance(IDLE_MS * 2)
    expect(idle).toEqual([one])
  })

  it('are bounded per principal over all routes, and per route by what the route says', () => {
    const { sessions } = table(1_000)
    for (let count = 0; count < 50; count++) {
      opened(sessions, a)
      opened(sessions, b)
    }
    expect(sessions.open(a, WHO)).toEqual({ full: 'principal', limit: 100 })
    expect(sessions.open({ ...a, limits: { sessions: 50 } }, 'CN=other')).toEqual({ full: 'ownLimit', limit: 50 })
    const other = sessions.open(b, 'CN=other')
    if ('full' in other) throw new Error('no session to be had')
    expect(sessions.find(other.edgeId, b, 'CN=other')).toBe(other)
    expect(sessions.find(other.edgeId, b, WHO)).toBeUndefined()
  })

  it('are told of once when they are forgotten, for whatever reason', () => {
    const { sessions, clock, forgotten } = table()
    const all = [opened(sessions, a), opened(sessions, a), opened(sessions, a)]
    sessions.forget(all[0] as NorthboundSession)
    sessions.forget(all[0] as NorthboundSession)
    sessions.forgetByKey(all[1]?.session.id ?? '')
    clock.advance(IDLE_MS * 2)
    expect(forgotten).toEqual(all)
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
