import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { until } from '../cluster/wait.ts'
import { ROOT } from '../tools/step.ts'
import { base64 } from './kube.ts'
import { SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ watched: ['shop', 'bank'] })
afterEach(() => stand().stopOperators())

const RELAY = { listeners: { mcp: { host: '0.0.0.0', port: 8080 } } }
const backend = (more: object = {}) => ({
  relayRefs: [{ name: 'edge' }],
  mcp: { url: 'http://tools:3000/mcp' },
  ...more,
})
const route = (path: string, name: string, from = {}) => ({
  relayRefs: [{ name: 'edge', ...from }],
  path,
  transparent: { target: { backendRef: { name } } },
})

describe('Accepted', { timeout: 120_000 }, () => {
  it('is True where all that an object names is there, and follows what comes and goes', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.write('MeshRoute', 'shop', 'tools', route('/tools', 'tools'))
    const missing = await kube.untilCondition('MeshRoute', 'shop', 'tools', 'Accepted', { reason: 'NotFound' })
    expect(missing.message).toContain('not found or not permitted: MeshRelay shop/edge')
    await kube.write('MeshRelay', 'shop', 'edge', RELAY)
    await kube.write('MeshBackend', 'shop', 'tools', backend())
    for (const kind of ['MeshRelay', 'MeshBackend', 'MeshRoute'] as const)
      await kube.untilCondition(kind, 'shop', kind === 'MeshRelay' ? 'edge' : 'tools', 'Accepted', { status: 'True' })
  })

  it('is False for what came second by name, whoever was first in time', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.write('MeshRoute', 'shop', 'b', route('/same', 'tools'))
    await kube.untilCondition('MeshRoute', 'shop', 'b', 'Accepted', { status: 'True' })
    await kube.write('MeshRoute', 'shop', 'a', route('/same', 'tools'))
    await kube.untilCondition('MeshRoute', 'shop', 'b', 'Accepted', { status: 'False', reason: 'PathTaken' })
    await kube.untilEvent('shop', 'b', 'PathTaken')
    await kube.delete('MeshRoute', 'shop', 'a')
    await kube.untilCondition('MeshRoute', 'shop', 'b', 'Accepted', { status: 'True' })
    await kube.delete('MeshRoute', 'shop', 'b')
  })

  it('reads alike for what is not there and what is not granted, and follows the grant', async () => {
    const { kube, cluster } = stand()
    await stand().startLeading()
    await kube.write('MeshBackend', 'bank', 'far', { ...backend(), relayRefs: [{ name: 'edge', namespace: 'shop' }] })
    const ungranted = await kube.untilCondition('MeshBackend', 'bank', 'far', 'Accepted', { reason: 'NotFound' })
    await kube.write('MeshBackend', 'bank', 'none', { ...backend(), relayRefs: [{ name: 'nope', namespace: 'shop' }] })
    const absent = await kube.untilCondition('MeshBackend', 'bank', 'none', 'Accepted', { reason: 'NotFound' })
    expect(absent.message).toBe(ungranted.message.replace('shop/edge', 'shop/nope'))
    const selector = { matchLabels: { team: 'payments' } }
    await kube.write('MeshRelay', 'shop', 'edge', { ...RELAY, allowedNamespaces: { from: 'Selector', selector } })
    await kube.untilCondition('MeshRelay', 'shop', 'edge', 'Accepted', { status: 'True' })
    await cluster.kubectl('label', 'namespace', 'bank', 'team=payments')
    await kube.untilCondition('MeshBackend', 'bank', 'far', 'Accepted', { status: 'True' })
    await cluster.kubectl('label', 'namespace', 'bank', 'team-')
    // It had been accepted as it is: what it names went.
    await kube.untilCondition('MeshBackend', 'bank', 'far', 'Accepted', { status: 'False', reason: 'TargetDeleted' })
    await kube.delete('MeshBackend', 'bank', 'far')
  })

  it('knows the keys of Secrets', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const valueFrom = { secretRef: { name: 'token', key: 'value' } }
    await kube.write(
      'MeshBackend',
      'shop',
      'secret',
      backend({
        meshName: 'secret',
        mcp: { url: 'http://tools:3000/mcp', headers: [{ name: 'authorization', valueFrom }] },
      }),
    )
    await kube.untilCondition('MeshBackend', 'shop', 'secret', 'Accepted', { reason: 'DataNotFound' })
    await kube.createSecret('shop', 'token', { other: 'x' })
    const { message } = await kube.untilCondition('MeshBackend', 'shop', 'secret', 'Accepted', {
      reason: 'KeyNotFound',
    })
    expect(message).toBe('spec.mcp.headers[0].valueFrom.secretRef: Secret shop/token has no key value')
    await kube.patch('Secret', 'shop', 'token', { data: { value: base64('Bearer x') } })
    await kube.untilCondition('MeshBackend', 'shop', 'secret', 'Accepted', { status: 'True' })
    await kube.delete('Secret', 'shop', 'token')
    await kube.untilCondition('MeshBackend', 'shop', 'secret', 'Accepted', { reason: 'DataNotFound' })
  })

  it('is InvalidStored for an object that the schema no longer admits; what runs of it goes on', async () => {
    const { kube, cluster } = stand()
    const crd = parse(await readFile(join(ROOT, 'charts/causeway-crds/crds/meshrelays.yaml'), 'utf8'))
    const loose = structuredClone(crd)
    for (const version of loose.spec.versions) {
      version.schema.openAPIV3Schema.properties.spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    }
    await cluster.apply(stringify(loose), '--force-conflicts')
    await kube.write('MeshRelay', 'shop', 'old', { replicas: 1 })
    await stand().startLeading()
    await until('it runs', () => kube.find('StatefulSet', 'shop', 'causeway-old'))
    await kube.write('MeshRelay', 'shop', 'old', { replicas: 1, flavour: 'vanilla' })
    const { message } = await kube.untilCondition('MeshRelay', 'shop', 'old', 'Accepted', { reason: 'InvalidStored' })
    expect(message).toContain('flavour')
    await cluster.apply(stringify(crd), '--force-conflicts')
    await kube.delete('StatefulSet', 'shop', 'nothing')
    expect((await kube.get('StatefulSet', 'shop', 'causeway-old')).spec.replicas).toBe(1)
    // Under a schema that refuses its spec it still takes status and can be deleted.
    await kube.delete('MeshRelay', 'shop', 'old')
    await until('it is gone', async () => !(await kube.find('MeshRelay', 'shop', 'old')))
  })

  it('of one installation is not touched by another', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.write('MeshRelay', 'bank', 'theirs', {})
    await kube.untilCondition('MeshRelay', 'bank', 'theirs', 'Accepted', { status: 'True' })
    await stand().stopOperators()
    await stand().startLeading({ installation: 'another' })
    await kube.untilEvent('bank', 'theirs', 'OtherInstallation')
    const before = await kube.get('StatefulSet', 'bank', 'causeway-theirs')
    const { identity } = (await kube.get('MeshRelay', 'bank', 'theirs')).status
    const rotate = { annotations: { 'mesh.causeway.dev/rotate-identity': 'now' } }
    await kube.write('MeshRelay', 'bank', 'theirs', { replicas: 3 }, rotate)
    await kube.write('MeshRelay', 'bank', 'ours', {})
    await kube.untilCondition('MeshRelay', 'bank', 'ours', 'Accepted', { status: 'True' })
    await until('the other one is done', () => kube.find('StatefulSet', 'bank', 'causeway-ours'))
    expect((await kube.get('StatefulSet', 'bank', 'causeway-theirs')).spec).toEqual(before.spec)
    const { status } = await kube.get('MeshRelay', 'bank', 'theirs')
    expect([status.controller, status.identity]).toEqual([SYSTEM, identity])
  })

  it('is put right again where a person edits it, and is not written where nothing differs', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.untilCondition('MeshBackend', 'shop', 'tools', 'Accepted', { status: 'True' })
    const wrong = {
      type: 'Accepted',
      status: 'False',
      reason: 'Mine',
      message: '',
      lastTransitionTime: '2020-01-01T00:00:00Z',
    }
    await kube.patch('MeshBackend', 'shop', 'tools', { status: { conditions: [wrong] } }, 'status')
    await kube.untilCondition('MeshBackend', 'shop', 'tools', 'Accepted', { status: 'True' })
    const { resourceVersion } = (await kube.get('MeshBackend', 'shop', 'tools')).metadata
    await stand().stopOperators()
    await stand().startLeading()
    await kube.write('MeshRelay', 'shop', 'last', {})
    await kube.untilCondition('MeshRelay', 'shop', 'last', 'Accepted', { status: 'True' })
    expect((await kube.get('MeshBackend', 'shop', 'tools')).metadata.resourceVersion).toBe(resourceVersion)
  })
})
