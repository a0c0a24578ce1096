import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { identityOf, signalProcess } from '../processes/identity.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { socketOf, stateFolderOf } from './containerd.ts'
import { removeControlGroup } from './control-groups.ts'
import { unmountBelow } from './mounts.ts'
import { removeNetwork } from './network.ts'

/** What a node changes outside of its run folder: all of it bears one name. */
interface NodeTraces {
  readonly name: string
}

const TRACES = 'node.json'

/** Noted before anything is made, so that whoever cleans up finds it. */
export function noteTraces(folder: RunFolder, traces: NodeTraces): void {
  writeFileSync(folder.file(TRACES), JSON.stringify(traces))
}

/**
 * Undoes what a node did to the machine, after its daemons have been killed: nothing starts a container any more. Does
 * nothing where there was no node.
 */
export async function tearDownNode(folder: RunFolder): Promise<void> {
  if (!existsSync(folder.file(TRACES))) return
  const { name } = JSON.parse(readFileSync(folder.file(TRACES), 'utf8')) as NodeTraces
  await killShims(folder)
  await removeControlGroup(name)
  await removeContainerTraces(folder)
  await unmountBelow(folder.path)
  await removeNetwork(name)
  await removeLogLinks(folder)
}

/** Shims outlive containerd on purpose. Each names the socket of its containerd on its command line. */
async function killShims(folder: RunFolder): Promise<void> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const identity = identityOf(Number(entry))
    const command = (await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')).split('\0')
    const isOurs = basename(command[0] ?? '') === 'containerd-shim-runc-v2' && command.includes(socketOf(folder))
    if (isOurs && identity !== undefined) signalProcess(identity, 'SIGKILL')
  }
}

/** What shims and network plugins left elsewhere for a container that was not stopped in good order. */
async function removeContainerTraces(folder: RunFolder): Promise<void> {
  const containers = join(stateFolderOf(folder), 'io.containerd.runtime.v2.task', 'k8s.io')
  const results = '/var/lib/cni/results'
  for (const container of await namesIn(containers)) {
    const text = await readFile(join(containers, container, 'bootstrap.json'), 'utf8').catch(() => '{}')
    const { address } = JSON.parse(text) as { readonly address?: string }
    if (address?.startsWith('unix://')) await rm(address.slice('unix://'.length), { force: true })
    for (const file of await namesIn(results)) {
      if (file.includes(container)) await rm(join(results, file), { force: true })
    }
  }
}

/** kubelet's links to the logs of containers, in a place that nobody can choose. */
async function removeLogLinks(folder: RunFolder): Promise<void> {
  const logs = '/var/log/containers'
  for (const link of await namesIn(logs)) {
    const target = await readlink(join(logs, link)).catch(() => '')
    if (target.startsWith(`${folder.path}/`)) await rm(join(logs, link), { force: true })
  }
}

function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => [])
}
