import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ForeignCluster } from '../cluster/node/foreign-cluster.ts'
import { startNodeLevel } from '../cluster/node-level.ts'
import { useCluster } from '../cluster/use-cluster.ts'
import { until } from '../cluster/wait.ts'
import { packEchoImage } from './images/echo-image.ts'

/** The cluster of the end-to-end tests does what theirs rely on. */
const cluster = useCluster(startNodeLevel)

interface Echo {
  readonly host: string
  readonly uid: number
  readonly note: string
  readonly secret: string
}

beforeAll(async () => {
  const work = await mkdtemp(join(tmpdir(), 'causeway-echo-'))
  try {
    const archive = join(work, 'echo.tar')
    await packEchoImage(archive)
    await cluster().loadImage(archive)
  } finally {
    await rm(work, { recursive: true })
  }
  await cluster().apply(readFileSync(new URL('echo.yaml', import.meta.url), 'utf8'))
  await kubectl('rollout', 'status', 'statefulset/echo', '--timeout=120s')
  await until('the node forwards its port', () => outside('/'))
})

function kubectl(...args: string[]): Promise<string> {
  return cluster().kubectl('--namespace=echo', ...args)
}

/** From this machine, through a port of the node. */
async function outside(path: string): Promise<string> {
  const response = await fetch(`http://${cluster().nodeAddress}:30080${path}`)
  expect(response.status).toBe(200)
  return response.text()
}

async function echo(path: string): Promise<Echo> {
  return JSON.parse(await outside(path)) as Echo
}

/** From a pod. */
function fromInside(url: string): Promise<string> {
  return outside(`/fetch?url=${encodeURIComponent(url)}`)
}

test('a pod runs under the restricted Pod Security level as another user than root', async () => {
  expect(await echo('/')).toMatchObject({ host: expect.stringMatching(/^echo-[01]$/), uid: 65532 })
})

test('a pod that asks for more is refused there', async () => {
  const image = '--image=docker.io/library/causeway-echo:1'
  await expect(kubectl('run', 'privileged', image, '--privileged')).rejects.toThrow('violates PodSecurity')
})

test('a Service answers a pod under its name, and both pods stand behind it', async () => {
  const answering = async () => {
    const one = JSON.parse(await fromInside('http://echo.echo.svc.cluster.local/')) as Echo
    return one.host
  }
  const hosts = new Set<string>()
  await until('both have answered', async () => hosts.add(await answering()).size === 2)
  const direct = JSON.parse(await fromInside('http://echo-1.echo:8080/')) as Echo
  expect(direct.host).toBe('echo-1')
})

test('a name outside of the cluster does not exist, and is not waited for', async () => {
  const response = await fetch(
    `http://${cluster().nodeAddress}:30080/fetch?url=${encodeURIComponent('http://causeway.example/')}`,
  )
  expect(response.status).toBe(502)
})

test('a pod reaches a server on this machine', async () => {
  const server = createServer((_request, response) => response.end('from the host'))
  await new Promise<void>((resolve) => server.listen(0, cluster().hostAddress, resolve))
  const { port } = server.address() as AddressInfo
  expect(await fromInside(`http://${cluster().hostAddress}:${port}/`)).toBe('from the host')
  server.close()
})

test('a mounted Secret follows its object', async () => {
  expect(await echo('/')).toMatchObject({ secret: 'first' })
  await kubectl('patch', 'secret', 'shared', '-p', '{"stringData":{"value":"second"}}')
  await until('a pod has it', async () => (await echo('/')).secret === 'second')
})

test('a volume keeps what was written when its pod is replaced', async () => {
  const { host } = await echo('/write?text=kept')
  const uid = () => kubectl('get', 'pod', host, '-o', 'jsonpath={.metadata.uid}')
  const before = await uid()
  await kubectl('delete', 'pod', host)
  await kubectl('rollout', 'status', 'statefulset/echo', '--timeout=60s')
  expect(await uid()).not.toBe(before)
  const { note } = JSON.parse(await fromInside(`http://${host}.echo:8080/`)) as Echo
  expect(note).toBe('kept')
})

test('the log of a pod can be read, and a program run in it', async () => {
  expect(await kubectl('logs', 'echo-0')).toContain('listening')
  expect(await kubectl('exec', 'echo-0', '--', 'node', '-p', '1 + 1')).toBe('2\n')
})

test('a cluster that somebody else runs is used in the same way', async () => {
  const foreign = await ForeignCluster.of(cluster().kubeconfig)
  try {
    expect(foreign.nodeAddress).toBe(cluster().nodeAddress)
    expect(await foreign.kubectl('get', 'statefulset/echo', '--namespace=echo', '-o', 'name')).toContain('echo')
    expect(await foreign.helm('list', '--all-namespaces', '--output=json')).toBe('[]\n')
  } finally {
    await foreign.stop()
  }
})
