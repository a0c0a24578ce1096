import { setTimeout as delay } from 'node:timers/promises'
import { parseIdentity } from '@causeway/npamp/crypto/node'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { base64, type Found, text } from './kube.ts'
import { type OperatorStand, SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ controllerManager: true })
afterEach(() => stand().stopOperators())

/** The fault. */
const STOPPED_MS = 30_000
const OPERATOR = `system:serviceaccount:${SYSTEM}:causeway-operator`

function handleOf(secret: Found): string {
  return parseIdentity(secret.metadata.name, Buffer.from(text(secret, 'key.pem'))).peerHandle
}

/** The identity of a relay, once it is in a state. */
function identity({ kube }: OperatorStand, relay: string, state?: string) {
  return until(`the identity of ${relay} is ${state ?? 'there'}`, async () => {
    const found = (await kube.get('MeshRelay', 'shop', relay)).status?.identity
    return found !== undefined && (state === undefined || found.state === state) ? found : undefined
  })
}

describe('the identity of a relay', { timeout: 120_000 }, () => {
  it('is rotated when asked, peers of the mesh first, and no instance is left behind', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'tools', {
      listeners: { npamp: { port: 7443 } },
      identity: { rotation: { overlap: '1s' } },
    })
    await kube.write('MeshRelay', 'shop', 'edge', {})
    const peer = { relayRefs: [{ name: 'edge' }], identityFrom: { relayRef: { name: 'tools' } } }
    await kube.write('MeshPeer', 'shop', 'tools', { ...peer, addresses: ['npamp://tools:7443'] })
    await stand().startLeading()
    const first = await identity(stand(), 'tools', 'Active')
    const own = { namespace: 'shop', relay: 'tools', instance: 'causeway-tools-0' }
    const other = { namespace: 'shop', relay: 'edge', instance: 'causeway-edge-0' }
    await kube.report('MeshRelay', 'shop', 'tools', [{ ...own, peerHandle: first.peerHandle }])
    await kube.report('MeshPeer', 'shop', 'tools', [{ ...other, handles: [first.peerHandle] }])

    await kube.patch('MeshRelay', 'shop', 'tools', {
      metadata: { annotations: { 'mesh.causeway.dev/rotate-identity': 'now' } },
    })
    const announced = await identity(stand(), 'tools', 'Announced')
    expect(announced).toMatchObject({ peerHandle: first.peerHandle, nextSecretName: 'causeway-tools-identity-b' })
    const next = await kube.get('Secret', 'shop', 'causeway-tools-identity-b')
    expect(handleOf(next)).toBe(announced.next)
    await until('the request is cleared', async () => {
      const { annotations = {} } = (await kube.get('MeshRelay', 'shop', 'tools')).metadata
      return !('mesh.causeway.dev/rotate-identity' in annotations)
    })
    // The overlap passes, and as much again: nobody switches for its end alone.
    await until('a person is told that it takes long', async () => {
      await kube.patch('MeshRelay', 'shop', 'tools', { metadata: { labels: { looked: String(performance.now()) } } })
      return (await kube.events('shop', 'tools', 'RotationWaits')).some(({ note }) => note.includes('causeway-edge-0'))
    })
    expect((await identity(stand(), 'tools')).state).toBe('Announced')

    await kube.report('MeshPeer', 'shop', 'tools', [{ ...other, handles: [first.peerHandle, announced.next] }])
    const switched = await identity(stand(), 'tools', 'Switched')
    expect(switched).toMatchObject({
      peerHandle: announced.next,
      secretName: 'causeway-tools-identity-b',
      previous: first.peerHandle,
    })
    await delay(1_000) // The old key is kept for as long as an instance signs with it.
    expect(await kube.find('Secret', 'shop', 'causeway-tools-identity-a')).toBeDefined()
    await kube.report('MeshRelay', 'shop', 'tools', [{ ...own, peerHandle: announced.next }])
    const retired = await identity(stand(), 'tools', 'Retired')
    expect(retired).toEqual({
      state: 'Retired',
      since: expect.any(String),
      peerHandle: announced.next,
      secretName: 'causeway-tools-identity-b',
    })
    await until('the old key is gone', async () => !(await kube.find('Secret', 'shop', 'causeway-tools-identity-a')))
    for (const reason of ['IdentityAnnounced', 'IdentitySwitched', 'IdentityRetired'])
      await kube.untilEvent('shop', 'tools', reason)
  })

  it('survives a leader that is stopped for longer than its term in the middle of rotations, and woken', async () => {
    const { kube, cluster } = stand()
    // Periods of seconds: something is always under way.
    const rotation = { every: '2s', overlap: '1s' }
    const relays = ['one', 'two', 'three', 'four']
    for (const name of relays) await kube.write('MeshRelay', 'shop', name, { identity: { rotation } })
    const first = await stand().startLeading()
    const second = await stand().startOperator()
    for (const name of relays) await identity(stand(), name, 'Announced')
    first.pause()
    const pausedAtMs = performance.now()
    await until('the other one leads', () => second.isLeading)
    const mark = (await cluster.auditEvents()).length
    for (const name of relays) await identity(stand(), name, 'Announced')
    await until('it stood still for 30 s', () => performance.now() - pausedAtMs >= STOPPED_MS)
    first.resume()
    // It ends: a term that is over cannot be gone on with.
    expect(await first.ended).toBe(1)
    for (const name of relays) {
      await identity(stand(), name, 'Switched')
      await identity(stand(), name, 'Announced')
    }
    await until(
      'a moment without a rotation under way, for each relay exactly the keys that its status names',
      async () => {
        for (const name of relays) {
          const { status } = await kube.get('MeshRelay', 'shop', name)
          const secrets = (await kube.list('Secret', 'shop')).filter(({ metadata }) =>
            metadata.name.startsWith(`causeway-${name}-identity-`),
          )
          const { secretName, nextSecretName, previousSecretName, peerHandle } = status.identity
          const named = [secretName, nextSecretName ?? previousSecretName].filter((one) => one !== undefined).sort()
          expect(secrets.map(({ metadata }) => metadata.name).sort()).toEqual(named)
          const current = secrets.find(({ metadata }) => metadata.name === secretName)
          expect(current === undefined ? undefined : handleOf(current)).toBe(peerHandle)
        }
        return true
      },
    )
    const late = (await cluster.auditEvents())
      .slice(mark)
      .filter(({ user, resource, verb }) => user === OPERATOR && resource === 'secrets' && verb === 'create')
    const names = late.filter(({ code }) => code === 201).length
    expect(names).toBeGreaterThan(0)
    for (const { code } of late) expect([201, 409]).toContain(code)
    await Promise.all(relays.map((name) => kube.delete('MeshRelay', 'shop', name)))
  })

  it('is never replaced: a key that vanishes is told, and taken up again when it is back', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'lost', {})
    await stand().startLeading()
    const before = await identity(stand(), 'lost')
    const secret = await kube.get('Secret', 'shop', 'causeway-lost-identity-a')
    await kube.delete('Secret', 'shop', 'causeway-lost-identity-a')
    const condition = await kube.untilCondition('MeshRelay', 'shop', 'lost', 'Ready', { reason: 'IdentityLost' })
    expect(condition.message).toContain('causeway-lost-identity-a')
    await kube.untilEvent('shop', 'lost', 'IdentityLost')
    // Not by another leader either, and not by a rotation.
    await stand().stopOperators()
    await kube.patch('MeshRelay', 'shop', 'lost', {
      metadata: { annotations: { 'mesh.causeway.dev/rotate-identity': 'now' } },
    })
    await stand().startLeading()
    await delay(1_000)
    expect(await kube.find('Secret', 'shop', 'causeway-lost-identity-a')).toBeUndefined()
    expect(await kube.find('Secret', 'shop', 'causeway-lost-identity-b')).toBeUndefined()
    await kube.patch('MeshRelay', 'shop', 'lost', {
      metadata: { annotations: { 'mesh.causeway.dev/rotate-identity': null } },
    })

    // Restored by hand, without the labels that it had.
    await kube.create('Secret', 'shop', { metadata: { name: 'causeway-lost-identity-a' }, data: secret.data })
    await until('it is no longer lost', async () => {
      const ready = await kube.condition('MeshRelay', 'shop', 'lost', 'Ready')
      return ready !== undefined && ready.reason !== 'IdentityLost'
    })
    expect((await identity(stand(), 'lost')).peerHandle).toBe(before.peerHandle)
  })

  it('is not taken from a Secret with another key', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'swapped', {})
    await stand().startLeading()
    await identity(stand(), 'swapped')
    const other = await kube.get('Secret', 'shop', 'causeway-lost-identity-a')
    await kube.patch('Secret', 'shop', 'causeway-swapped-identity-a', { data: other.data })
    const { message } = await kube.untilCondition('MeshRelay', 'shop', 'swapped', 'Ready', { reason: 'IdentityLost' })
    expect(message).toContain('holds the key of')
    await kube.patch('Secret', 'shop', 'causeway-swapped-identity-a', { data: { 'key.pem': base64('nothing') } })
    await kube.untilCondition('MeshRelay', 'shop', 'swapped', 'Ready', { reason: 'IdentityDamaged' })
  })

  it('survives its relay and is adopted by name, unless deletionPolicy says otherwise', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'kept', {})
    await kube.write('MeshRelay', 'shop', 'dropped', { identity: { deletionPolicy: 'Delete' } })
    await stand().startLeading()
    const { peerHandle } = await identity(stand(), 'kept')
    await identity(stand(), 'dropped')
    await kube.delete('MeshRelay', 'shop', 'kept')
    await kube.delete('MeshRelay', 'shop', 'dropped')
    await until(
      'the relays are gone',
      async () => !(await kube.find('MeshRelay', 'shop', 'kept')) && !(await kube.find('MeshRelay', 'shop', 'dropped')),
    )
    await until(
      'the key goes with its relay',
      async () => !(await kube.find('Secret', 'shop', 'causeway-dropped-identity-a')),
    )
    await kube.write('MeshRelay', 'shop', 'kept', {})
    expect((await identity(stand(), 'kept')).peerHandle).toBe(peerHandle)
    await kube.untilEvent('shop', 'kept', 'IdentityAdopted')
  })

  it('that goes with its relay is not adopted by the next one of that name while it goes', async () => {
    const { kube } = stand()
    const spec = { identity: { deletionPolicy: 'Delete' } }
    const secret = 'causeway-brief-identity-a'
    await kube.write('MeshRelay', 'shop', 'brief', spec)
    await stand().startLeading()
    const first = await identity(stand(), 'brief')
    // Somebody else holds the Secret back while it goes.
    await kube.patch('Secret', 'shop', secret, { metadata: { finalizers: ['example.com/backup'] } })
    await kube.delete('MeshRelay', 'shop', 'brief')
    await kube.write('MeshRelay', 'shop', 'brief', spec)
    await kube.untilCondition('MeshRelay', 'shop', 'brief', 'Ready', { status: 'False', reason: 'IdentityPending' })
    await until('the Secret goes', async () => (await kube.get('Secret', 'shop', secret)).metadata.deletionTimestamp)
    expect((await kube.get('MeshRelay', 'shop', 'brief')).status.identity).toBeUndefined()
    await kube.patch('Secret', 'shop', secret, { metadata: { finalizers: null } })
    const second = await identity(stand(), 'brief', 'Active')
    expect(second.peerHandle).not.toBe(first.peerHandle)
    const { uid } = (await kube.get('MeshRelay', 'shop', 'brief')).metadata
    expect((await kube.get('Secret', 'shop', secret)).metadata.ownerReferences?.map((one) => one.uid)).toEqual([uid])
  })
})
