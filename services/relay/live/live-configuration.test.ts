import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { createLogger } from '@causeway/telemetry'
import { requirement } from '@causeway/test/requirements'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import {
  file,
  httpBackend,
  peer,
  relaySettings,
  route,
  toBackend,
  toPeer,
} from '../../../test/integration/live-configuration/messages.ts'
import { ConfigProblem } from '../config/problem.ts'
import type { RelaySettings } from '../config/relay-config.ts'
import type { Refusal } from '../config-store/contract.ts'
import type { InForce, RoomsChange, SettingsChange } from './in-force.ts'
import { LiveResources } from './live-configuration.ts'

const RELAY = 'default/edge'

/** Rooms that keep what they are told. */
class RecordedRooms implements InForce {
  readonly state = new Map<string, unknown>()
  readonly events: string[] = []
  settings: RelaySettings | undefined
  /** Why settings cannot be had now; one that is no ConfigProblem is a fault of ours. */
  problem: Error | undefined

  prepare(settings: RelaySettings | undefined): Promise<SettingsChange> {
    if (this.problem !== undefined) return Promise.reject(this.problem)
    this.events.push('prepared')
    return Promise.resolve({
      commit: () => {
        this.settings = settings
      },
      rollback: async () => void this.events.push('rolled back'),
    })
  }

  change({ settings, peers, backends, routes }: RoomsChange): void {
    settings?.commit()
    this.events.push('changed')
    for (const [kind, changes] of Object.entries({ peer: peers, backend: backends, route: routes })) {
      for (const [name, config] of changes) {
        if (config === undefined) this.state.delete(`${kind} ${name}`)
        else this.state.set(`${kind} ${name}`, config)
      }
    }
  }

  get names(): string[] {
    return [...this.state.keys()].sort()
  }
}

let folder: string
let live: LiveResources
let rooms: RecordedRooms
let clock: VirtualClock
let told: (readonly Refusal[])[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
  rooms = new RecordedRooms()
  clock = new VirtualClock()
  told = []
  const logger = createLogger({ destination: { write() {} } })
  live = new LiveResources({ relayName: RELAY, inForce: rooms, mounts: folder, environment: {}, clock, logger })
  live.onRefusalsChanged((refusals) => told.push(refusals))
})
afterEach(async () => {
  await live.close()
  rmSync(folder, { recursive: true })
})

const SETTINGS = () => relaySettings(RELAY, {})
const backend = (changes: Parameters<typeof httpBackend>[2] = {}) =>
  httpBackend('default/b', 'http://127.0.0.1:1/mcp', changes)
const secret = (name: string, text: string) => ({
  name: 'authorization',
  value: {
    source: {
      case: 'file',
      value: { location: { case: 'mounted', value: name }, sha256: createHash('sha256').update(text).digest() },
    } as const,
  },
})

async function apply(
  upserts: Parameters<LiveResources['apply']>[0]['upserts'],
  removals: Parameters<LiveResources['apply']>[0]['removals'] = [],
) {
  const refusals = await live.apply({ upserts, removals })
  return refusals.map(({ kind, name, reason }) => `${kind} ${name} ${reason}`)
}

describe('a relay without settings', () => {
  it('puts nothing into force, and everything once it has some', async () => {
    const others = [backend(), route('default/r', { target: toBackend('default/b') })]
    expect(await apply(others)).toEqual(['backend default/b DependencyRefused', 'route default/r DependencyRefused'])
    expect(rooms.names).toEqual([])
    expect(await apply([SETTINGS()])).toEqual([])
    expect(rooms.names).toEqual(['backend default/b', 'route default/r'])
  })

  it('refuses those of another relay', async () => {
    expect(await apply([relaySettings('default/other', {})])).toEqual(['relay default/other Invalid'])
    expect(rooms.settings).toBeUndefined()
  })

  it('has nothing in force any more when they go', async () => {
    await apply([SETTINGS(), backend()])
    expect(await apply([], [{ kind: 'relay', name: RELAY }])).toEqual(['backend default/b DependencyRefused'])
    expect([rooms.names, rooms.settings]).toEqual([[], undefined])
  })
})

describe('settings that cannot be had', () => {
  it('for a fault of ours keep nobody who is to go', async () => {
    await apply([SETTINGS(), backend(), route('default/r', { target: toBackend('default/b') })])
    rooms.problem = new TypeError('a fault')
    const removals = [
      { kind: 'backend', name: 'default/b' },
      { kind: 'route', name: 'default/r' },
    ] as const
    expect(await apply([relaySettings(RELAY, { replica: 'b' })], removals)).toEqual([`relay ${RELAY} Invalid`])
    rooms.problem = undefined
    clock.advance(5_000)
    await expect.poll(() => rooms.names).toEqual([])
  })

  it(`${requirement('RLY-004', 'RLY-016')} leave the last ones in force, and do not keep other changes`, async () => {
    await apply([SETTINGS()])
    const before = rooms.settings
    rooms.problem = new ConfigProblem('ListenFailed', 'spec.listeners.mcp', 'EADDRINUSE')
    expect(await apply([relaySettings(RELAY, { replica: 'b' }), backend()])).toEqual([`relay ${RELAY} ListenFailed`])
    expect(rooms.settings).toBe(before)
    expect(rooms.names).toEqual(['backend default/b'])
  })

  it('and the last good ones, sent again, are prepared anew: what was lost by the attempt comes back', async () => {
    await apply([SETTINGS()])
    rooms.problem = new ConfigProblem('ListenFailed', 'spec.listeners.mcp', 'EADDRINUSE')
    expect(await apply([relaySettings(RELAY, { replica: 'b' })])).toEqual([`relay ${RELAY} ListenFailed`])
    rooms.problem = undefined
    const before = rooms.events.length
    expect(await apply([SETTINGS()])).toEqual([])
    expect(rooms.events.slice(before)).toEqual(['prepared', 'changed'])
    expect(await apply([SETTINGS()])).toEqual([])
    expect(rooms.events).toHaveLength(before + 2)
  })

  it('come into force by themselves when they can be had, and that is told', async () => {
    rooms.problem = new ConfigProblem('ListenFailed', 'spec.listeners.mcp', 'EADDRINUSE')
    expect(await apply([SETTINGS()])).toEqual([`relay ${RELAY} ListenFailed`])
    rooms.problem = undefined
    clock.advance(5_000)
    await expect.poll(() => told).toEqual([[]])
    expect(rooms.settings).toBeDefined()
  })
})

describe('a resource that cannot be in force', () => {
  it(`${requirement('RLY-004')} keeps its last good version, with the route that was changed along with it`, async () => {
    await apply([SETTINGS(), backend(), route('default/r', { target: toBackend('default/b') })])
    const before = new Map(rooms.state)
    const changed = route('default/r', { path: '/changed', target: toBackend('default/b') })
    expect(await apply([backend({ headers: [secret('token', 'x')] }), changed])).toEqual([
      'backend default/b CredentialPending',
      'route default/r DependencyRefused',
    ])
    expect(rooms.state).toEqual(before)
    expect(await apply([backend({ connectTimeoutMs: 5n })])).toEqual([])
    expect(rooms.state.get('route default/r')).toMatchObject({ config: { path: '/changed' }, isAvailable: true })
  })

  it(`${requirement('RLY-004')} is refused no more when its last good version is sent again`, async () => {
    await apply([SETTINGS(), backend()])
    expect(await apply([backend({ headers: [secret('token', 'x')] })])).toEqual(['backend default/b CredentialPending'])
    expect(await apply([backend()])).toEqual([])
    const before = rooms.events.length
    clock.advance(5_000)
    await apply([])
    expect(rooms.events.slice(before)).toEqual([])
  })

  it(`${requirement('RLY-005')} without a good version makes the routes to it serve nothing`, async () => {
    await apply([SETTINGS()])
    const pending = backend({ headers: [secret('token', 'x')] })
    expect(await apply([pending, route('default/r', { target: toBackend('default/b') })])).toEqual([
      'backend default/b CredentialPending',
      'route default/r DependencyRefused',
    ])
    expect(rooms.names).toEqual(['route default/r'])
    expect(rooms.state.get('route default/r')).toMatchObject({ isAvailable: false })
  })

  it(`${requirement('RLY-004')} is refused again and again with the list of all, until it is good or gone`, async () => {
    await apply([SETTINGS()])
    const odd = route('default/odd', { path: 'no path', target: toBackend('default/b') })
    expect(await apply([odd])).toEqual(['route default/odd Invalid'])
    expect(await apply([backend()])).toEqual(['route default/odd Invalid'])
    expect(await apply([], [{ kind: 'route', name: 'default/odd' }])).toEqual([])
  })
})

describe('what something leads to', () => {
  it('when it goes, is told with what led to it; and is used again when it comes back', async () => {
    const to = route('default/r', { target: toBackend('default/b') })
    await apply([SETTINGS(), backend(), to])
    expect(await apply([], [{ kind: 'backend', name: 'default/b' }])).toEqual(['route default/r DependencyRefused'])
    expect(rooms.names).toEqual(['route default/r'])
    expect(await apply([backend()])).toEqual([])
  })

  it('may be a peer', async () => {
    await apply([SETTINGS()])
    const { peerHandle } = await createIdentityFile(join(folder, 'p.key'))
    const to = route('default/r', { target: toPeer('default/p', 'x') })
    expect(await apply([to])).toEqual(['route default/r DependencyRefused'])
    expect(await apply([peer('default/p', peerHandle)])).toEqual([])
  })
})

describe('a file', () => {
  it(`${requirement('RLY-017')} that comes puts what waits for it into force, and that is told`, async () => {
    await apply([SETTINGS()])
    expect(await apply([backend({ headers: [secret('token', 'Bearer t')] })])).toEqual([
      'backend default/b CredentialPending',
    ])
    writeFileSync(join(folder, 'token'), 'Bearer t')
    await expect
      .poll(() => {
        clock.advance(250)
        return told
      })
      .toEqual([[]])
    const headers = new Map([['authorization', 'Bearer t']])
    expect(rooms.state.get('backend default/b')).toMatchObject({ headers })
  })

  it(`${requirement('RLY-017')} with other content than it must have is one that has not come`, async () => {
    writeFileSync(join(folder, 'token'), 'Bearer old')
    await apply([SETTINGS()])
    expect(await apply([backend({ headers: [secret('token', 'Bearer new')] })])).toEqual([
      'backend default/b CredentialPending',
    ])
  })

  it('that changes, where any content will do, is in force with what it holds now', async () => {
    const token = join(folder, 'token')
    writeFileSync(token, 'Bearer one')
    const header = { name: 'authorization', value: { source: { case: 'file', value: file(token) } as const } }
    await apply([SETTINGS(), backend({ headers: [header] })])
    writeFileSync(token, 'Bearer two')
    const headers = () => (rooms.state.get('backend default/b') as { headers: Map<string, string> }).headers
    await expect
      .poll(() => {
        clock.advance(250)
        return headers().get('authorization')
      })
      .toBe('Bearer two')
    writeFileSync(token, '')
    clock.advance(250)
    expect([headers().get('authorization'), told]).toEqual(['Bearer two', []])
  })

  it('beside which another one changes all the time is looked at all the same', async () => {
    const [token, noise] = [join(folder, 'token'), join(folder, 'noise')]
    writeFileSync(token, 'Bearer one')
    writeFileSync(noise, '')
    const header = { name: 'authorization', value: { source: { case: 'file', value: file(token) } as const } }
    await apply([SETTINGS(), backend({ headers: [header] })])
    const headers = () => (rooms.state.get('backend default/b') as { headers: Map<string, string> }).headers
    const watcher = watch(folder)
    writeFileSync(token, 'Bearer two')
    for (let turn = 0; turn < 30; turn++) {
      const heard = once(watcher, 'change')
      appendFileSync(noise, 'x')
      await heard
      // What hears it first may not be the relay.
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(200)
    }
    watcher.close()
    await expect.poll(() => headers().get('authorization')).toBe('Bearer two')
  })

  it(`${requirement('RLY-006')} beside which another one changes is no reason to put anything into force again`, async () => {
    const key = join(folder, 'edge.key')
    await createIdentityFile(key)
    await apply([relaySettings(RELAY, { identity: { key: file(key) } }), backend({ headers: [secret('token', 'x')] })])
    const before = rooms.events.length
    writeFileSync(join(folder, 'token'), 'x')
    await expect
      .poll(() => {
        clock.advance(250)
        return rooms.names
      })
      .toEqual(['backend default/b'])
    expect(rooms.events.slice(before)).toEqual(['changed'])
  })

  it.each(['../token', '/etc/passwd'])('is never read outside the mounts: %s', async (name) => {
    await apply([SETTINGS()])
    expect(await apply([backend({ headers: [secret(name, 'x')] })])).toEqual(['backend default/b Invalid'])
  })
})

it(`${requirement('RLY-006')} changes are taken one after the other, and what is the same changes nothing`, async () => {
  const first = live.apply({ upserts: [SETTINGS(), backend()], removals: [] })
  const second = live.apply({ upserts: [backend({ connectTimeoutMs: 5n })], removals: [] })
  const third = live.apply({ upserts: [backend({ connectTimeoutMs: 5n })], removals: [] })
  await Promise.all([first, second, third])
  expect(rooms.events).toEqual(['prepared', 'changed', 'changed'])
})
