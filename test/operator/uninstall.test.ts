import { KINDS, type KindName } from '@causeway/mesh-api'
import { afterEach, describe, expect, it } from 'vitest'
import { useCli } from '../cli/run-cli.ts'
import { until } from '../cluster/wait.ts'
import { useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ controllerManager: true })
const cli = useCli()
afterEach(() => stand().stopOperators())

const HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'
const FINALIZER = 'mesh.causeway.dev/in-use'
/** The limit. */
const LIMIT_MS = 10_000

/** One object of each kind that can be in use, each used by another one; MeshRoute is used by nobody. */
const OBJECTS: readonly (readonly [KindName, object])[] = [
  ['MeshRelay', { listeners: { mcp: { host: '0.0.0.0', port: 8080 } } }],
  ['TrustAnchor', { uses: ['peers'], handles: [HANDLE] }],
  ['MeshPeer', { relayRefs: [{ name: 'edge' }], addresses: ['npamp://far:7443'], trustAnchorRef: { name: 'edge' } }],
  ['MeshBackend', { relayRefs: [{ name: 'edge' }], mcp: { url: 'http://tools:3000/mcp' }, peers: [{ name: 'edge' }] }],
  [
    'MeshRoute',
    { relayRefs: [{ name: 'edge' }], path: '/edge', transparent: { target: { backendRef: { name: 'edge' } } } },
  ],
]
const HELD = OBJECTS.map(([kind]) => kind).filter((kind) => kind !== 'MeshRoute')

/** All of them, held by an operator. */
async function given() {
  const { kube } = stand()
  for (const [kind, spec] of OBJECTS) await kube.write(kind, 'shop', 'edge', spec)
  const operator = await stand().startLeading()
  for (const kind of HELD)
    await until(`${kind} is held`, async () =>
      (await kube.get(kind, 'shop', 'edge')).metadata.finalizers?.includes(FINALIZER),
    )
  return operator
}

async function untilGone(kinds: readonly KindName[]): Promise<void> {
  for (const kind of kinds) await until(`${kind} is gone`, async () => !(await stand().kube.find(kind, 'shop', 'edge')))
}

async function deleteDefinitions(): Promise<void> {
  const names = OBJECTS.map(([kind]) => `crd/${KINDS[kind].plural}.mesh.causeway.dev`)
  await stand().cluster.kubectl('delete', ...names, '--wait=false')
}

async function untilDefinitionsAreGone(): Promise<void> {
  await until('the definitions are gone', async () => {
    const left = await stand().cluster.kubectl('get', 'crd', '-o', 'name')
    return !OBJECTS.some(([kind]) => left.includes(`/${KINDS[kind].plural}.`))
  })
}

/** As docs/uninstall says, when somebody deleted things in another order. Answers how long everything took. */
async function release(untilFree: () => Promise<void>): Promise<number> {
  const started = performance.now()
  const { code, error } = await cli.run(stand().cluster.kubeconfig, ['uninstall', '--release'])
  expect({ code, error }).toEqual({ code: 0, error: '' })
  await untilFree()
  return performance.now() - started
}

describe('what an operator holds', { timeout: 120_000 }, () => {
  it('waits when the operator was deleted first, and is freed by the command', async () => {
    const { kube } = stand()
    const operator = await given()
    await operator.stop()
    for (const kind of HELD) await kube.delete(kind, 'shop', 'edge')
    for (const kind of HELD)
      expect((await kube.get(kind, 'shop', 'edge')).metadata.deletionTimestamp, kind).toBeDefined()
    expect(await release(() => untilGone(HELD))).toBeLessThan(LIMIT_MS)
    await kube.delete('MeshRoute', 'shop', 'edge')
  })

  it('goes by itself when the definitions are deleted first, and is held again when they are back', async () => {
    const { kube, cluster } = stand()
    await given()
    await deleteDefinitions()
    await untilDefinitionsAreGone()
    await cluster.applyCrds()
    for (const [kind, spec] of OBJECTS)
      await until(`${kind} is written again`, () => kube.write(kind, 'shop', 'edge', spec))
    for (const kind of HELD)
      await until(`${kind} is held again`, async () =>
        (await kube.get(kind, 'shop', 'edge')).metadata.finalizers?.includes(FINALIZER),
      )
    for (const [kind] of OBJECTS) await kube.untilCondition(kind, 'shop', 'edge', 'Accepted', { status: 'True' })
  })

  it('is freed by the command when operator and definitions are both gone', async () => {
    const operator = await given()
    await operator.stop()
    await deleteDefinitions()
    expect(await release(untilDefinitionsAreGone)).toBeLessThan(LIMIT_MS)
  })

  it('is held by an operator that was there before the definitions, once they come', async () => {
    const { kube, cluster } = stand()
    const operator = await stand().startOperator()
    await until('it misses them', () => operator.lines.some(({ msg }) => msg === 'cannot be watched'))
    await cluster.applyCrds()
    for (const [kind, spec] of OBJECTS) await until(`${kind} is written`, () => kube.write(kind, 'shop', 'edge', spec))
    await until('it leads', () => operator.isLeading)
    for (const kind of HELD)
      await until(`${kind} is held`, async () =>
        (await kube.get(kind, 'shop', 'edge')).metadata.finalizers?.includes(FINALIZER),
      )
  })
})
