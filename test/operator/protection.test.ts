import { setTimeout as delay } from 'node:timers/promises'
import type { KindName } from '@causeway/mesh-api'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ controllerManager: true, watched: ['shop', 'bank', 'doomed'] })
afterEach(() => stand().stopOperators())

const HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'
const FINALIZER = 'mesh.causeway.dev/in-use'
const backend = (namespace?: string) => ({
  relayRefs: [{ name: 'edge', ...(namespace === undefined ? {} : { namespace }) }],
  mcp: { url: 'http://tools:3000/mcp' },
})
const route = (path: string, name: string, namespace?: string) => ({
  relayRefs: [{ name: 'edge', ...(namespace === undefined ? {} : { namespace }) }],
  path,
  transparent: { target: { backendRef: { name, ...(namespace === undefined ? {} : { namespace }) } } },
})
const RELAY = { listeners: { mcp: { host: '0.0.0.0', port: 8080 } }, allowedNamespaces: { from: 'All' } }

async function isHeld(kind: KindName, namespace: string, name: string): Promise<boolean> {
  const found = await stand().kube.get(kind, namespace, name)
  return (found.metadata.finalizers ?? []).includes(FINALIZER)
}

async function held(kind: KindName, namespace: string, name: string): Promise<void> {
  await until(`${kind} ${name} is held`, () => isHeld(kind, namespace, name))
}

async function gone(kind: KindName, namespace: string, name: string): Promise<void> {
  await until(`${kind} ${name} is gone`, async () => !(await stand().kube.find(kind, namespace, name)))
}

/** A relay, a backend and a route to it, in `shop`, as accepted. */
async function given(name: string): Promise<void> {
  const { kube } = stand()
  await kube.write('MeshRelay', 'shop', 'edge', RELAY)
  await kube.write('MeshBackend', 'shop', name, backend())
  await kube.write('MeshRoute', 'shop', name, route(`/${name}`, name))
  await kube.untilCondition('MeshRoute', 'shop', name, 'Accepted', { status: 'True' })
  await held('MeshBackend', 'shop', name)
}

describe('what is in use', { timeout: 120_000 }, () => {
  it('is held back, says by whom, and goes with its last user', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await given('one')
    await kube.delete('MeshBackend', 'shop', 'one')
    const { message } = await kube.untilCondition('MeshBackend', 'shop', 'one', 'Accepted', { reason: 'InUse' })
    expect(message).toContain('MeshRoute shop/one')
    await kube.untilEvent('shop', 'one', 'InUse')
    await kube.delete('MeshRoute', 'shop', 'one')
    await gone('MeshBackend', 'shop', 'one')
  })

  it('has its finalizer only while there is a user that is not itself going', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await given('two')
    // Taken off by hand, it is back.
    await kube.patch('MeshBackend', 'shop', 'two', { metadata: { finalizers: null } })
    await held('MeshBackend', 'shop', 'two')
    await kube.delete('MeshRoute', 'shop', 'two')
    await until('it is free', async () => !(await isHeld('MeshBackend', 'shop', 'two')))
    await kube.delete('MeshBackend', 'shop', 'two')
    await gone('MeshBackend', 'shop', 'two')
  })

  it('stays in force until it goes', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await given('held')
    await kube.delete('MeshRelay', 'shop', 'edge')
    await kube.untilCondition('MeshRelay', 'shop', 'edge', 'Accepted', { status: 'True', reason: 'InUse' })
    const { uid } = await until(
      'it runs',
      async () => (await kube.find('StatefulSet', 'shop', 'causeway-edge'))?.metadata,
    )
    await kube.delete('StatefulSet', 'shop', 'causeway-edge')
    await kube.delete('Secret', 'shop', 'causeway-edge-client')
    await until('what runs it is made again', async () => {
      const found = await kube.find('StatefulSet', 'shop', 'causeway-edge')
      return found !== undefined && found.metadata.uid !== uid
    })
    await until('its certificate too', () => kube.find('Secret', 'shop', 'causeway-edge-client'))
    await kube.delete('MeshRoute', 'shop', 'held')
    await kube.delete('MeshBackend', 'shop', 'held')
    await gone('MeshRelay', 'shop', 'edge')
    await until('all goes with it', async () => !(await kube.find('StatefulSet', 'shop', 'causeway-edge')))
  })

  it.each(['MeshPeer', 'TrustAnchor'] as const)('is a %s, too', async (kind) => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.write('MeshRelay', 'shop', 'edge', RELAY)
    await kube.write('TrustAnchor', 'shop', 'used', { uses: ['peers'], handles: [HANDLE] })
    await kube.write('MeshPeer', 'shop', 'used', {
      relayRefs: [{ name: 'edge' }],
      addresses: ['npamp://far:7443'],
      trustAnchorRef: { name: 'used' },
    })
    await kube.write('MeshBackend', 'shop', 'used', { ...backend(), peers: [{ name: 'used' }] })
    await held(kind, 'shop', 'used')
    await kube.delete(kind, 'shop', 'used')
    const { message } = await kube.untilCondition(kind, 'shop', 'used', 'Accepted', { reason: 'InUse' })
    const user = kind === 'MeshPeer' ? 'MeshBackend' : 'MeshPeer'
    expect(message).toContain(`${user} shop/used`)
    await kube.delete(user, 'shop', 'used')
    await gone(kind, 'shop', 'used')
    for (const one of ['MeshBackend', 'MeshPeer', 'TrustAnchor'] as const) await kube.delete(one, 'shop', 'used')
    for (const one of ['MeshBackend', 'MeshPeer', 'TrustAnchor'] as const) await gone(one, 'shop', 'used')
  })

  it('is not held by those who name each other and all go', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.write('MeshPeer', 'shop', 'pair', {
      relayRefs: [{ name: 'edge' }],
      addresses: ['npamp://far:7443'],
      identityFrom: { relayRef: { name: 'edge' } },
      defaultBackend: { name: 'pair' },
    })
    await kube.write('MeshBackend', 'shop', 'pair', { ...backend(), peers: [{ name: 'pair' }] })
    await held('MeshBackend', 'shop', 'pair')
    await held('MeshPeer', 'shop', 'pair')
    await kube.delete('MeshPeer', 'shop', 'pair')
    await kube.delete('MeshBackend', 'shop', 'pair')
    await gone('MeshPeer', 'shop', 'pair')
    await gone('MeshBackend', 'shop', 'pair')
  })

  it('is not held by who may not use it', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.write('MeshBackend', 'shop', 'private', backend())
    await kube.write('MeshRoute', 'bank', 'thief', route('/private', 'private', 'shop'))
    await kube.untilCondition('MeshRoute', 'bank', 'thief', 'Accepted', { reason: 'NotFound' })
    expect(await isHeld('MeshBackend', 'shop', 'private')).toBe(false)
    await kube.delete('MeshBackend', 'shop', 'private')
    await gone('MeshBackend', 'shop', 'private')
    await kube.delete('MeshRoute', 'bank', 'thief')
  })

  it('is released by the annotation', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await given('three')
    await kube.delete('MeshBackend', 'shop', 'three')
    await kube.untilCondition('MeshBackend', 'shop', 'three', 'Accepted', { reason: 'InUse' })
    await kube.patch('MeshBackend', 'shop', 'three', {
      metadata: { annotations: { 'mesh.causeway.dev/release': 'now' } },
    })
    await gone('MeshBackend', 'shop', 'three')
    await kube.untilCondition('MeshRoute', 'shop', 'three', 'Accepted', { status: 'False', reason: 'TargetDeleted' })
    await kube.delete('MeshRoute', 'shop', 'three')
  })

  it('goes when it has been held for as long as it may be', async () => {
    const { kube } = stand()
    await stand().startLeading({ 'deletion-hold': '3s' })
    await given('four')
    await kube.delete('MeshBackend', 'shop', 'four')
    await delay(500)
    expect(await isHeld('MeshBackend', 'shop', 'four')).toBe(true)
    await gone('MeshBackend', 'shop', 'four')
    await kube.untilEvent('shop', 'four', 'HoldElapsed')
    await kube.untilCondition('MeshRoute', 'shop', 'four', 'Accepted', { status: 'False', reason: 'TargetDeleted' })
  })

  it('goes with its namespace, whoever else uses it', async () => {
    const { kube, cluster } = stand()
    await stand().startLeading()
    await kube.write('MeshRelay', 'doomed', 'edge', RELAY)
    await kube.write('MeshBackend', 'doomed', 'tools', { ...backend(), allowedNamespaces: { from: 'All' } })
    await kube.write('MeshRoute', 'bank', 'user', route('/tools', 'tools', 'doomed'))
    await kube.untilCondition('MeshRoute', 'bank', 'user', 'Accepted', { status: 'True' })
    await held('MeshBackend', 'doomed', 'tools')
    await held('MeshRelay', 'doomed', 'edge')
    await cluster.kubectl('delete', 'namespace', 'doomed', '--wait=false')
    await until('the namespace is gone', async () => {
      const { status } = await cluster.client.request({ path: '/api/v1/namespaces/doomed' })
      return status === 404
    })
    await kube.untilCondition('MeshRoute', 'bank', 'user', 'Accepted', { reason: 'TargetDeleted' })
  })
})
