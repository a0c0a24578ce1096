import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../step.ts'
import { type Layer, writeLayer } from './layer.ts'
import { nodeRuntime, USER_ID } from './node-runtime.ts'
import { writeOciArchive } from './oci-archive.ts'
import type { TarEntry } from './tar.ts'

/** Where the checkout lies in an image, and the working folder of its processes. */
export const APP = 'app'

/** An image of programs that Node runs: what lies over the runtime, and how it is called. */
export interface NodeImage {
  /** `repository:tag`, in full. */
  readonly name: string
  readonly parts: readonly { readonly createdBy: string; readonly entries: readonly TarEntry[] }[]
  /** What Node runs if a pod says nothing else; paths start from `/app`. */
  readonly command: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Since the epoch, for all the times in the image. */
  readonly createdSeconds: number
}

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const

/**
 * Writes an image of this machine's architecture, one layer for the runtime and one for each part. The same files give the
 * same octets. Resolves with the digest of the manifest, `sha256:...`.
 */
export async function packImage(out: string, image: NodeImage): Promise<string> {
  const { createdSeconds } = image
  const runtime = { createdBy: 'Node and its libraries', entries: nodeRuntime(bundledNode()) }
  mkdirSync(dirname(out), { recursive: true })
  const work = mkdtempSync(`${out}.layers-`)
  try {
    const layers: Layer[] = []
    for (const { createdBy, entries } of [runtime, ...image.parts]) {
      layers.push(await writeLayer(join(work, String(layers.length)), createdBy, entries, createdSeconds))
    }
    const settings = {
      name: image.name,
      architecture: architectureHere(),
      created: new Date(createdSeconds * 1000),
      user: `${USER_ID}:${USER_ID}`,
      entrypoint: ['/usr/bin/node'],
      command: image.command,
      environment: { PATH: '/usr/bin', NODE_ENV: 'production' },
      workingFolder: `/${APP}`,
      labels: image.labels,
    }
    return await writeOciArchive(out, settings, layers)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The binary that the lock file pins. */
function bundledNode(): string {
  return join(ROOT, `node_modules/node-linux-${process.arch}/bin/node`)
}

export function architectureHere(): 'amd64' | 'arm64' {
  const { arch } = process
  if (arch !== 'x64' && arch !== 'arm64') throw new Error(`images are made for x64 and arm64, not for ${arch}`)
  return ARCHITECTURES[arch]
}
