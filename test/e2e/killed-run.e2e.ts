import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanUpStale } from '../cluster/clean-up.ts'
import type { HeldCluster } from '../cluster/held-cluster.ts'
import { until } from '../cluster/wait.ts'
import { startFixture } from '../fixtures/process/fixture.ts'

test('nothing of a node remains on the machine after its holder was killed and another run has begun', async () => {
  const holder = await startFixture<HeldCluster>(new URL('../cluster/held-cluster.ts', import.meta.url), ['node'])
  const { runFolder } = holder.info
  await holder.command('apply', POD)
  await holder.command('kubectl', ['wait', '--for=condition=Ready', 'pod/pause', '--timeout=60s'])
  const names = await namesOf(runFolder)
  expect((await processesOf(runFolder)).length).toBeGreaterThan(8)
  expect(await mountsBelow(runFolder)).not.toEqual([])
  expect(await tracesOf(names)).not.toEqual([])

  await holder.kill()
  await cleanUpStale() // or another run's, if that was faster
  await until('its folder is gone', () => !existsSync(runFolder))
  await until('its processes have ended', async () => (await processesOf(runFolder)).length === 0)
  expect(await mountsBelow(runFolder)).toEqual([])
  expect(await tracesOf(names)).toEqual([])
})

const POD = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'pause' },
  spec: { containers: [{ name: 'pause', image: 'docker.io/library/causeway-pause:1', imagePullPolicy: 'Never' }] },
})

/** What tells the traces of this node from others': its own name, its containers' ids, its shims' sockets. */
async function namesOf(runFolder: string): Promise<string[]> {
  const { name } = JSON.parse(await readFile(join(runFolder, 'node.json'), 'utf8')) as { name: string }
  const tasks = join(runFolder, 'containerd/state/io.containerd.runtime.v2.task/k8s.io')
  const containers = await readdir(tasks)
  const sockets = containers.map(async (container) => {
    const bootstrap = await readFile(join(tasks, container, 'bootstrap.json'), 'utf8')
    return basename((JSON.parse(bootstrap) as { address: string }).address)
  })
  return [name, ...containers, ...(await Promise.all(sockets))]
}

/** Files that carry one of the names, in the places outside of the run folder where a node makes some. */
async function tracesOf(names: readonly string[]): Promise<string[]> {
  const folders = ['/run/netns', '/sys/class/net', '/run/containerd/s', '/var/lib/cni/results', '/var/log/containers']
  const groups = ['memory', 'pids', 'unified', '.'].map((one) => `/sys/fs/cgroup/${one}`)
  const listed = await Promise.all([...folders, ...groups].map(filesIn))
  return listed.flat().filter((file) => names.some((name) => file.includes(name)))
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
}

/** Every process whose command line names the folder. */
async function processesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(folder))
}

async function mountsBelow(folder: string): Promise<string[]> {
  return (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(`${folder}/`))
}
