import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync, renameSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileOf } from './files.ts'
import type { Layer } from './layer.ts'
import { type TarEntry, tarOctets } from './tar.ts'

/** What the image specification calls `config`, as far as it is ours to say. */
export interface ImageSettings {
  /** `repository:tag`, in full: what a container engine will call it. */
  readonly name: string
  readonly architecture: 'amd64' | 'arm64'
  readonly created: Date
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingFolder: string
  readonly labels: Readonly<Record<string, string>>
}

const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const

/**
 * Writes an OCI image layout (image-spec 1.1, image-layout.md) as one tar, which `ctr images import`, `docker load`, `podman
 * load` and `skopeo copy oci-archive:` read. Resolves with the digest of the image's manifest.
 */
export async function writeOciArchive(
  file: string,
  settings: ImageSettings,
  layers: readonly Layer[],
): Promise<string> {
  const { name, architecture } = settings
  const config = blob(MEDIA.config, JSON.stringify(configOf(settings, layers)))
  const manifest = blob(
    MEDIA.manifest,
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MEDIA.manifest,
      config: config.descriptor,
      layers: layers.map((layer) => ({
        mediaType: MEDIA.layer,
        digest: `sha256:${layer.digest}`,
        size: layer.sizeOctets,
      })),
      annotations: settings.labels,
    }),
  )
  const index = JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA.index,
    manifests: [
      {
        ...manifest.descriptor,
        platform: { architecture, os: 'linux' },
        annotations: {
          // The first is containerd's, the second the specification's.
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
        },
      },
    ],
  })
  const entries: TarEntry[] = [
    fileOf('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    fileOf('index.json', index),
    config.entry,
    manifest.entry,
  ]
  const half = `${file}.part`
  const seconds = settings.created.getTime() / 1000
  await pipeline(Readable.from(tarOctets(withLayers(entries, layers), seconds)), createWriteStream(half))
  renameSync(half, file)
  return manifest.descriptor.digest
}

/** One layer after the other is read, not all of them held. */
function* withLayers(entries: readonly TarEntry[], layers: readonly Layer[]): Generator<TarEntry> {
  yield* entries
  for (const layer of layers) {
    yield { type: 'file', path: `blobs/sha256/${layer.digest}`, mode: 0o644, content: readFileSync(layer.file) }
  }
}

function configOf(settings: ImageSettings, layers: readonly Layer[]) {
  const created = settings.created.toISOString()
  return {
    created,
    architecture: settings.architecture,
    os: 'linux',
    config: {
      User: settings.user,
      Env: Object.entries(settings.environment).map(([key, value]) => `${key}=${value}`),
      Entrypoint: settings.entrypoint,
      Cmd: settings.command,
      WorkingDir: settings.workingFolder,
      Labels: settings.labels,
      StopSignal: 'SIGTERM',
    },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${layer.diffId}`) },
    history: layers.map((layer) => ({ created, created_by: layer.createdBy })),
  }
}

function blob(mediaType: string, text: string) {
  const digest = createHash('sha256').update(text).digest('hex')
  return {
    descriptor: { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) },
    entry: fileOf(`blobs/sha256/${digest}`, text),
  }
}
