import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ApiClient } from '../api/client.ts'
import { mountVolume, type VolumeSource } from '../mounted/volume.ts'
import { onlyContainer, type PodObject, type ProjectedSource, type Volume } from './pod-object.ts'

export interface PodVolumes {
  /** Resolves when everything that is not optional is there. */
  readonly ready: Promise<void>
  unmount(): Promise<void>
}

export interface PodFolders {
  /** Stands for the root of the pod's file system. */
  readonly root: string
  /** Where the volumes of claims are; they outlive the pod. */
  claim(name: string): string
}

/** Mounts what the pod says at the paths that it says, below `folders.root`. */
export async function mountVolumes(client: ApiClient, pod: PodObject, folders: PodFolders): Promise<PodVolumes> {
  const { namespace } = pod.metadata
  const mounted: PodVolumes[] = []
  for (const { name, mountPath } of onlyContainer(pod).volumeMounts ?? []) {
    const volume = pod.spec.volumes?.find((one) => one.name === name)
    if (volume === undefined) throw new Error(`no volume ${name} in pod ${pod.metadata.name}`)
    if (isOfToken(volume)) continue
    const folder = join(folders.root, mountPath)
    await mkdir(dirname(folder), { recursive: true })
    const sources = sourcesOf(volume)
    if (sources !== undefined) {
      await mkdir(folder, { recursive: true })
      mounted.push(mountVolume({ client, namespace, folder, sources }))
    } else if (volume.persistentVolumeClaim !== undefined) {
      const claim = folders.claim(volume.persistentVolumeClaim.claimName)
      await mkdir(claim, { recursive: true })
      await symlink(claim, folder)
    } else if (volume.emptyDir !== undefined) {
      await mkdir(folder, { recursive: true })
    } else {
      throw new Error(`volume ${name} of pod ${pod.metadata.name} is of a type that nobody here mounts`)
    }
  }
  return {
    ready: Promise.all(mounted.map(({ ready }) => ready)).then(() => {}),
    unmount: async () => {
      await Promise.all(mounted.map((one) => one.unmount()))
    },
  }
}

/** What the API server adds for a service account: processes here have a kubeconfig instead. */
function isOfToken({ projected }: Volume): boolean {
  return projected?.sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true
}

function sourcesOf({ secret, configMap, projected }: Volume): VolumeSource[] | undefined {
  if (secret !== undefined) return [{ kind: 'Secret', ...secret, name: secret.secretName }]
  if (configMap !== undefined) return [{ kind: 'ConfigMap', ...configMap }]
  return projected?.sources.map(projectedSource)
}

function projectedSource({ secret, configMap }: ProjectedSource): VolumeSource {
  if (secret !== undefined) return { kind: 'Secret', ...secret }
  if (configMap !== undefined) return { kind: 'ConfigMap', ...configMap }
  throw new Error('a projected source that nobody here mounts')
}
