import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { identityOf, signalProcess } from '../processes/identity.ts'
import { until } from '../wait.ts'

const MOUNTS = '/sys/fs/cgroup'

/** Makes the group under which kubelet puts all pods: a cluster's own, so that no other's is ever touched. */
export async function makeControlGroup(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) await mkdir(join(hierarchy, name), { recursive: true })
}

/** Kills whatever runs in the group and below, and removes it. */
export async function removeControlGroup(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    const group = join(hierarchy, name)
    if (!existsSync(group)) continue
    await until(`nothing runs in ${group}`, async () => {
      const groups = await groupsBelow(group)
      const pids = (await Promise.all(groups.map(pidsIn))).flat()
      for (const pid of pids) kill(pid)
      return pids.length === 0
    })
    for (const one of await groupsBelow(group)) await until(`${one} is removed`, () => removed(one))
  }
}

/** One folder for each controller (version 1), or the one of version 2. */
async function hierarchies(): Promise<string[]> {
  if (existsSync(join(MOUNTS, 'cgroup.controllers'))) return [MOUNTS]
  const folders = await readdir(MOUNTS, { withFileTypes: true })
  return folders.filter((one) => one.isDirectory()).map((one) => join(MOUNTS, one.name))
}

/** Itself and its descendants, deepest first. */
async function groupsBelow(group: string): Promise<string[]> {
  const children = await readdir(group, { withFileTypes: true }).catch(() => [])
  const below = children.filter((one) => one.isDirectory()).map((one) => groupsBelow(join(group, one.name)))
  return [...(await Promise.all(below)).flat(), group]
}

async function pidsIn(group: string): Promise<number[]> {
  const text = await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).map(Number)
}

function kill(pid: number): void {
  const identity = identityOf(pid)
  if (identity !== undefined) signalProcess(identity, 'SIGKILL')
}

async function removed(group: string): Promise<true> {
  if (existsSync(group)) await rmdir(group)
  return true
}
