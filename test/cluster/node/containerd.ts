import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { run } from '../processes/command.ts'
import { startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import { PAUSE_IMAGE } from './pause-image.ts'

export interface ContainerdOptions {
  readonly programs: Readonly<Record<'containerd' | 'containerd-shim-runc-v2' | 'ctr', string>>
  readonly wrapper: readonly string[]
  /** Of this node's pods. */
  readonly podAddresses: string
  /** Told apart from other clusters' by it, where the network plugins keep notes. */
  readonly networkName: string
}

const PLUGIN_FOLDER = '/usr/lib/cni'

/** Where it listens, and what tells its shims from others. */
export function socketOf(folder: RunFolder): string {
  return folder.file('containerd', 'containerd.sock')
}

/** Where it keeps what runs. */
export function stateFolderOf(folder: RunFolder): string {
  return folder.file('containerd', 'state')
}

export async function startContainerd(folder: RunFolder, options: ContainerdOptions): Promise<void> {
  const { containerd, ctr } = options.programs
  const configuration = folder.file('containerd', 'config.toml')
  await mkdir(folder.file('cni'), { recursive: true })
  await mkdir(folder.file('containerd'))
  await writeFile(folder.file('cni', '10-pods.conflist'), networkOf(folder, options))
  await writeFile(configuration, configurationOf(folder))
  // It finds its shim on the path.
  const env = { PATH: `${dirname(options.programs['containerd-shim-runc-v2'])}:${process.env.PATH ?? ''}` }
  const { wrapper } = options
  const daemon = startDaemon(folder, 'containerd', containerd, ['--config', configuration], { wrapper, env })
  const serves = async () => (await control(ctr, folder, 'version')) !== ''
  await Promise.race([until('containerd serves', serves), daemon.failure])
}

/** Takes in an OCI layout tar whose index names the image. */
export async function importImage(ctr: string, folder: RunFolder, archive: string): Promise<void> {
  await control(ctr, folder, 'images', 'import', archive)
}

function control(ctr: string, folder: RunFolder, ...args: readonly string[]): Promise<string> {
  return run(ctr, ['-a', socketOf(folder), '-n', 'k8s.io', ...args])
}

function configurationOf(folder: RunFolder): string {
  return `
version = 3
root = '${folder.file('containerd', 'root')}'
state = '${stateFolderOf(folder)}'
temp = '${folder.file('containerd', 'temp')}'
disabled_plugins = ['io.containerd.nri.v1.nri', 'io.containerd.snapshotter.v1.blockfile']

[grpc]
address = '${socketOf(folder)}'

[ttrpc]
address = '${socketOf(folder)}.ttrpc'

[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${PAUSE_IMAGE}'

[plugins.'io.containerd.cri.v1.runtime']
# Neither may be taken for granted where this runs inside a container or a small virtual machine.
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false

[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['${PLUGIN_FOLDER}']
conf_dir = '${folder.file('cni')}'
`
}

/**
 * A cable from every pod to the node and a route, no bridge: what goes from pod to pod passes the node's rules too, whether
 * or not the kernel lets bridges do that.
 */
function networkOf(folder: RunFolder, options: ContainerdOptions): string {
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: options.networkName,
    plugins: [
      {
        type: 'ptp',
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: options.podAddresses }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: folder.file('cni-addresses'),
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  })
}
