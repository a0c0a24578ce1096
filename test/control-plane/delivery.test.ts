import { create } from '@bufbuild/protobuf'
import { grpcConfigChannel, InstanceStatusSchema, Reachability } from '@causeway/rpc'
import { describe, expect, test } from 'vitest'
import { makeFolders, mount, relayProcess } from '../fixtures/control/grpc-world.ts'
import { TestAuthority } from '../fixtures/control/test-authority.ts'
import { described, ScriptedInstance } from '../fixtures/control-plane/instance.ts'
import { aBackend, aRelay, aRoute, HANDLE, told } from '../fixtures/control-plane/objects.ts'
import { type ServedPlane, servedPlane } from '../fixtures/control-plane/served.ts'

/** A control plane and relays, two real rooms, over mutual TLS on loopback. */
const authority = await TestAuthority.create()

const mesh = (path: string) => [aRelay(), aBackend(), aRoute('everything', { path })]

async function aRelayProcess(planes: readonly ServedPlane[], uid?: string) {
  const folders = await makeFolders()
  await mount(folders, await authority.relay('default', 'edge', uid === undefined ? {} : { uid }))
  return relayProcess(
    folders,
    planes.map(({ address }) => address),
  )
}

type Process = Awaited<ReturnType<typeof aRelayProcess>>

/** The paths of the route, in the order in which they were put into force. */
const paths = ({ live }: Process): string[] =>
  live.changes.flatMap(({ upserts }) => upserts.flatMap((one) => (one.kind === 'route' ? [one.message.path] : [])))

describe('a relay', () => {
  test('has what concerns it, and each change of it', async () => {
    const plane = await servedPlane(authority, told(1, mesh('/one')))
    const relay = await aRelayProcess([plane])
    await expect
      .poll(() => [...relay.live.inForce.keys()].sort())
      .toEqual(['backend default/everything', 'relay default/edge', 'route default/everything'])
    plane.source.tell(told(2, [aRoute('everything', { path: '/two' })]))
    await expect.poll(() => paths(relay)).toEqual(['/one', '/two'])
    plane.source.tell(told(3, [], { removals: [{ kind: 'MeshRoute', name: 'default/everything' }] }))
    await expect.poll(() => relay.live.inForce.has('route default/everything')).toBe(false)
    expect(relay.relay.ready().ok).toBe(true)
  })

  test('that moves ten times between two control planes of which one lags never goes backwards', async () => {
    let now = 1
    const present = () => told(now, mesh(`/v${now}`))
    const current = await servedPlane(authority, present())
    const lagging = await servedPlane(authority, present())
    // What its watch has not told yet, a consistent list does.
    lagging.source.onList = present
    const relay = await aRelayProcess([current, lagging])
    await expect.poll(() => paths(relay)).toEqual(['/v1'])
    for (let move = 0; move < 10; move++) {
      now++
      current.source.tell(present())
      const left = current.plane.instances.size > 0 ? current : lagging
      const next = left === current ? lagging : current
      // What it has seen of the one, the other must not take back.
      if (left === current) await expect.poll(() => paths(relay).at(-1)).toBe(`/v${now}`)
      // The stream ends, and the relay takes the other one.
      left.source.tell(told(now, [], { removals: [{ kind: 'MeshRelay', name: 'default/edge' }] }))
      await expect.poll(() => next.plane.instances.size, { timeout: 20_000 }).toBe(1)
      left.source.tell(left === current ? present() : told(now - 1, mesh(`/v${now - 1}`)))
      await expect.poll(() => paths(relay).at(-1), { timeout: 20_000 }).toBe(`/v${now}`)
    }
    const versions = paths(relay).map((path) => Number(path.slice(2)))
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    expect(lagging.source.lists).toBeGreaterThan(0)
  }, 120_000)

  test('whose control plane is killed while it pushes has all of it from the next one', async () => {
    const many = Array.from({ length: 300 }, (_, index) => aRoute(`r${index}`))
    const [first, second] = [
      await servedPlane(authority, told(1, mesh('/one'))),
      await servedPlane(authority, told(2, [...mesh('/two'), ...many])),
    ]
    const relay = await aRelayProcess([first, second])
    await expect.poll(() => relay.live.inForce.size).toBeGreaterThan(0)
    const connected = first.plane.instances.size > 0 ? first : second
    connected.source.tell(told(2, [...mesh('/two'), ...many]))
    await connected.kill()
    await expect.poll(() => relay.live.inForce.size, { timeout: 20_000 }).toBe(303)
    expect(paths(relay).filter((path) => path === '/two').length).toBeLessThanOrEqual(2)
    expect(relay.live.inForce.has('route default/r299')).toBe(true)
  }, 60_000)

  test('keeps everything when a control plane that knows nothing would delete it', async () => {
    const many = Array.from({ length: 30 }, (_, index) => aRoute(`r${index}`))
    const plane = await servedPlane(authority, told(1, [...mesh('/one'), ...many]))
    const relay = await aRelayProcess([plane])
    await expect.poll(() => relay.live.inForce.size).toBe(33)
    plane.source.tell(
      told(2, [], {
        removals: many.map(({ resource }) => ({ kind: 'MeshRoute', name: `default/${resource.metadata.name}` })),
      }),
    )
    plane.source.tell(told(3, many))
    plane.source.tell(told(4, [aRoute('last')]))
    await expect.poll(() => relay.live.inForce.has('route default/last')).toBe(true)
    expect(relay.live.changes.every(({ removals }) => removals.length === 0)).toBe(true)
  })

  test('that was deleted and made again: the streams of the old one end within a second', async () => {
    const identity = { state: 'Active', peerHandle: HANDLE, secretName: 'causeway-edge-identity-a' } as const
    const made = (uid: string) => aRelay('edge', { identity: {} }, { uid, status: { identity } })
    const plane = await servedPlane(authority, told(1, [made('first')]), 'cluster')
    const tls = await authority.relay('default', 'edge', { uid: 'first' })
    const channel = grpcConfigChannel({ address: plane.address, serverName: 'localhost', tls: () => tls })
    const old = new ScriptedInstance(channel).hello()
    await old.accepted()
    const changedAt = performance.now()
    plane.source.tell(told(2, [made('second')]))
    expect(await old.closed).toMatchObject({ code: 'PERMISSION_DENIED' })
    expect(performance.now() - changedAt).toBeLessThan(1_000)
    expect(await new ScriptedInstance(channel).hello().closed).toMatchObject({ code: 'PERMISSION_DENIED' })
  })
})

describe('whoever has', () => {
  const answerTo = async (plane: ServedPlane, tls: Awaited<ReturnType<TestAuthority['relay']>>, hello = {}) => {
    const channel = grpcConfigChannel({ address: plane.address, serverName: 'localhost', tls: () => tls })
    const instance = new ScriptedInstance(channel).hello(hello)
    const end = await instance.closed
    return { code: end?.code, message: end?.message, deltas: instance.pending }
  }

  test('the certificate of another relay, or of one that is not there, learns nothing', async () => {
    const plane = await servedPlane(authority, told(1, [...mesh('/one'), aRelay('far')]))
    const far = await authority.relay('default', 'far')
    const nobody = await authority.relay('default', 'nobody')
    const answers = [
      await answerTo(plane, far),
      await answerTo(plane, nobody),
      await answerTo(plane, nobody, { relay: 'nobody' }),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 'PERMISSION_DENIED', deltas: 0 })
      expect(answer.message).toContain('this relay is not served here')
    }
  })

  test('its own certificate has its own configuration and nothing of others', async () => {
    const far = [aRelay('far'), aBackend('secret', { relayRefs: [{ name: 'far' }] })]
    const plane = await servedPlane(authority, told(1, [...mesh('/one'), ...far]))
    const tls = await authority.relay('default', 'far')
    const channel = grpcConfigChannel({ address: plane.address, serverName: 'localhost', tls: () => tls })
    const delta = await new ScriptedInstance(channel).hello({ relay: 'far' }).delta()
    expect(described(delta)).toEqual(['+backend default/secret', '+relay default/far'])
  })
})

test('what instances say reaches the one that leads, through whichever replica', async () => {
  const objects = [...mesh('/one')]
  const plane = await servedPlane(authority, told(1, objects))
  const seen: string[] = []
  plane.plane.lead(
    {
      write: ({ kind, conditions }) => {
        for (const { type, status, reason } of conditions) seen.push(`${kind} ${type} ${status}/${reason}`)
      },
      forget: () => {},
    },
    { collectingMs: 0, settleMs: 10, pendingMs: 10 },
  )
  const relay = await aRelayProcess([plane])
  await expect.poll(() => seen).toContain('MeshRoute Programmed True/Programmed')
  relay.live.status = {
    ...relay.live.status,
    current: () =>
      create(InstanceStatusSchema, {
        peerHandle: 'two',
        backends: [{ name: 'default/everything', reachable: Reachability.REACHABLE }],
      }),
  }
  relay.live.statusChanged('two')
  await expect.poll(() => seen).toContain('MeshBackend Reachable True/Reached')
})
