import { mkdir } from 'node:fs/promises'
import type { ApiClient } from '../api/client.ts'
import type { RunFolder } from '../processes/run-folder.ts'

const CLASS = 'local'
/** How many claims can be bound at the same time. A released volume is not used again. */
const VOLUMES = 24
const CAPACITY = '8Gi'

/** A default class without a provisioner, and folders of the node as its volumes. */
export async function makeVolumes(client: ApiClient, folder: RunFolder, nodeName: string): Promise<void> {
  await client.send({ method: 'POST', path: '/apis/storage.k8s.io/v1/storageclasses', body: storageClass() })
  for (let index = 0; index < VOLUMES; index += 1) {
    const name = `local-${index}`
    const path = folder.file('volumes', name)
    await mkdir(path, { recursive: true })
    await client.send({ method: 'POST', path: '/api/v1/persistentvolumes', body: volume(name, path, nodeName) })
  }
}

function storageClass(): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  }
}

function volume(name: string, path: string, nodeName: string): object {
  const here = { key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      storageClassName: CLASS,
      capacity: { storage: CAPACITY },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
    },
  }
}
