import {
  clientCertificateName,
  credentialsName,
  DATA_KEYS,
  identitySecretName,
  type MeshRelay,
  TRUST_BUNDLE_NAME,
} from '@causeway/mesh-api'
import type { Json, JsonObject } from './manifest.ts'
import { MOUNTS, STATE } from './settings.ts'

interface Mount {
  readonly name: string
  /** Absolute. */
  readonly path: string
  /** The volume's source; undefined for `state`, which may be a claim. */
  readonly source?: JsonObject
}

/** Readable by owner and group, which is the one that all files of the pod get (`fsGroup`). */
const KEY_FILE_MODE = 0o440

/**
 * CONTROL section 2: whole directories, never a subPath, because only those follow a change. Each source is optional where
 * a pod may start before it is there: a relay without it says so, and takes it up when it comes.
 */
function mounts({ metadata: { name }, spec: { listeners } }: MeshRelay): Mount[] {
  return [
    { name: 'state', path: STATE },
    // Both keys are there from Announced on (CONTROL section 5).
    projected('identity', [identity(name, 'a'), identity(name, 'b')]),
    projected('control-plane', [secret(clientCertificateName(name))]),
    projected('trust', [{ configMap: { name: TRUST_BUNDLE_NAME, optional: true } }]),
    projected('credentials', [secret(credentialsName(name))]),
    ...[listeners.npamp?.tls.secretRef?.name].flatMap((one) => listener('npamp', one)),
    ...[listeners.mcp?.tls?.secretRef?.name].flatMap((one) => listener('mcp', one)),
    // The root file system is read-only.
    { name: 'tmp', path: '/tmp', source: { emptyDir: {} } },
  ]
}

export function volumeMounts(relay: MeshRelay): Json {
  return mounts(relay).map(({ name, path, source }) => ({
    name,
    mountPath: path,
    ...(source?.projected === undefined ? {} : { readOnly: true }),
  }))
}

/** Without `state` where that is a claim of each instance. */
export function volumes(relay: MeshRelay): Json {
  const ephemeral = relay.spec.audit.storage === 'ephemeral'
  return mounts(relay).flatMap(({ name, source }) => {
    if (source !== undefined) return [{ name, ...source }]
    return ephemeral ? [{ name, emptyDir: {} }] : []
  })
}

/** Claims of each instance; they outlive the relay, because the audit log does. */
export function volumeClaims({ spec: { audit } }: MeshRelay): Json {
  if (audit.storage === 'ephemeral') return []
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'state' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: audit.storageSize } },
        ...(audit.storageClassName === undefined ? {} : { storageClassName: audit.storageClassName }),
      },
    },
  ]
}

function projected(name: string, sources: readonly JsonObject[], folder = name): Mount {
  return { name, path: `${MOUNTS}/${folder}`, source: { projected: { defaultMode: KEY_FILE_MODE, sources } } }
}

function listener(name: string, secretName: string | undefined): Mount[] {
  return secretName === undefined ? [] : [projected(`listener-${name}`, [secret(secretName)], `listeners/${name}`)]
}

function secret(name: string): JsonObject {
  return { secret: { name, optional: true } }
}

function identity(relay: string, slot: 'a' | 'b'): JsonObject {
  const items = [{ key: DATA_KEYS.identity, path: `${slot}.pem` }]
  return { secret: { name: identitySecretName(relay, slot), optional: true, items } }
}
