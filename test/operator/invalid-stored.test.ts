import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { credentialFile, type KindName } from '@causeway/mesh-api'
import { afterEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { until } from '../cluster/wait.ts'
import { ROOT } from '../tools/step.ts'
import { base64, text } from './kube.ts'
import { useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ controllerManager: true })
afterEach(() => stand().stopOperators())

const RELAY = { replicas: 1, listeners: { mcp: { host: '0.0.0.0', port: 8080 } } }
const ROUTE = {
  relayRefs: [{ name: 'edge' }],
  path: '/tools',
  transparent: { target: { backendRef: { name: 'tools' } } },
}
const BACKEND = backend('token')
const FLAVOUR = { flavour: 'vanilla' }

function backend(secret: string) {
  const valueFrom = { secretRef: { name: secret, key: 'value' } }
  return {
    relayRefs: [{ name: 'edge' }],
    mcp: { url: 'http://tools:3000/mcp', headers: [{ name: 'authorization', valueFrom }] },
  }
}

/** A schema from before the one that is in force: it takes everything. */
async function loosen(...plurals: readonly string[]): Promise<void> {
  for (const plural of plurals) {
    const crd = parse(await readFile(join(ROOT, `charts/causeway-crds/crds/${plural}.yaml`), 'utf8'))
    for (const { schema } of crd.spec.versions) {
      delete schema.openAPIV3Schema['x-kubernetes-validations']
      schema.openAPIV3Schema.properties.spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    }
    await stand().cluster.apply(stringify(crd), '--force-conflicts')
  }
}

/** Writes it until the loose schema is in force, which it is some moments after it is stored. */
async function writeInvalid(kind: KindName, name: string, spec: object): Promise<void> {
  const { kube } = stand()
  await until(`${kind} ${name} is stored as it is no longer admitted`, () => kube.write(kind, 'shop', name, spec))
  await kube.untilCondition(kind, 'shop', name, 'Accepted', { status: 'False', reason: 'InvalidStored' })
}

async function projected(secret: string): Promise<string | undefined> {
  const file = credentialFile({ kind: 'Secret', namespace: 'shop', name: secret, key: 'value' })
  const found = await stand().kube.find('Secret', 'shop', 'causeway-edge-credentials')
  return found?.data?.[file] === undefined ? undefined : text(found, file)
}

const isHeld = async () =>
  (await stand().kube.get('MeshBackend', 'shop', 'tools')).metadata.finalizers?.includes('mesh.causeway.dev/in-use')

/** It is deleted, and there again. */
async function deleteAndSee(kind: string, name: string): Promise<void> {
  const { kube } = stand()
  const { uid } = (await until(`${kind} ${name} is there`, () => kube.find(kind, 'shop', name))).metadata
  await kube.delete(kind, 'shop', name)
  await until(`${kind} ${name} is made again`, async () => {
    const found = await kube.find(kind, 'shop', name)
    return found !== undefined && found.metadata.uid !== uid
  })
}

describe('of an object that the schema no longer admits', { timeout: 120_000 }, () => {
  it('the last good version stays in force: for workload, certificate, credentials, deletion', async () => {
    const { kube } = stand()
    await loosen('meshrelays', 'meshbackends', 'meshroutes')
    await kube.createSecret('shop', 'token', { value: 'one' })
    await kube.write('MeshRelay', 'shop', 'edge', RELAY)
    await kube.write('MeshBackend', 'shop', 'tools', BACKEND)
    await kube.write('MeshRoute', 'shop', 'tools', ROUTE)
    await stand().startLeading()
    await until('the credential is projected', async () => (await projected('token')) === 'one')
    await until('the backend is held', isHeld)

    await writeInvalid('MeshRelay', 'edge', { ...RELAY, replicas: 5, ...FLAVOUR })
    await writeInvalid('MeshBackend', 'tools', { ...backend('other'), ...FLAVOUR })
    await writeInvalid('MeshRoute', 'tools', { ...ROUTE, ...FLAVOUR })
    await deleteAndSee('StatefulSet', 'causeway-edge')
    expect((await kube.get('StatefulSet', 'shop', 'causeway-edge')).spec.replicas).toBe(1)
    await deleteAndSee('Secret', 'causeway-edge-client')
    await kube.patch('Secret', 'shop', 'token', { data: { value: base64('two') } })
    await until('the credential is followed', async () => (await projected('token')) === 'two')
    expect(await isHeld()).toBe(true)
  })

  it('an operator that has never seen a good version takes nothing away', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await deleteAndSee('Secret', 'causeway-edge-client')
    expect((await kube.get('StatefulSet', 'shop', 'causeway-edge')).spec.replicas).toBe(1)
    // The relay is mended, and reads its credentials anew; the backend is not.
    await kube.write('MeshRelay', 'shop', 'edge', RELAY)
    await kube.createSecret('shop', 'more', { value: 'more' })
    await kube.write('MeshBackend', 'shop', 'more', backend('more'))
    await until('the credentials are projected anew', async () => (await projected('more')) === 'more')
    expect(await projected('token')).toBe('two')
    await kube.patch('MeshBackend', 'shop', 'tools', {
      metadata: { annotations: { 'mesh.causeway.dev/release': 'now' } },
    })
    await kube.delete('MeshBackend', 'shop', 'tools')
    await until('with the backend goes its credential', async () => (await projected('token')) === undefined)
    expect(await projected('more')).toBe('more')
  })
})
