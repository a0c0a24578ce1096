import type { AnyResource } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Finding } from './finding.ts'

/** Where objects stand: in files, for relays that read the same disk, or on a cluster, for relays in pods. */
export type Place = 'files' | 'cluster'

/** What has a meaning in one place only is refused in the other, never left out in silence. */
export function checkPlace(object: AnyResource, place: Place): Finding[] {
  const misplaced = FIELDS.filter((row) => row.kind === object.kind && row.place !== place).flatMap((row) =>
    found(object, row.path.split('.'), []).map((fieldPath): Finding => {
      const where = place === 'files' ? 'is only for clusters' : 'is only for files'
      return { id: 'NotInThisPlace', object, fieldPath, message: `${where}; ${row.instead}` }
    }),
  )
  return place === 'files' ? [...misplaced, ...checkKeyFile(object)] : misplaced
}

/** On a cluster the operator makes and keeps the key. */
function checkKeyFile(object: AnyResource): Finding[] {
  if (object.kind !== 'MeshRelay') return []
  const { identity, listeners } = object.spec
  if (listeners.npamp === undefined || identity.keyFile !== undefined) return []
  const message = 'is required with an npamp listener; `causeway keys generate` makes one'
  return [{ id: 'KeyFileMissing', object, fieldPath: ['spec', 'identity', 'keyFile'], message }]
}

interface Row {
  readonly kind: KindName
  /** `[]` stands for every entry of a list. */
  readonly path: string
  /** Where the field has a meaning. */
  readonly place: Place
  /** What does the same elsewhere. */
  readonly instead: string
}

const OPERATOR_KEEPS_KEY = 'the operator makes and keeps the key'
const SECRET_OF_LISTENER = 'name a Secret with secretRef'
const FILES_OF_LISTENER = 'name files with certFile and keyFile'
const HEADER_FROM_SECRET = 'name an entry of a Secret with valueFrom'
const HEADER_FROM_FILE = 'use valueFile or valueFromEnv'
const HTTP_LISTENERS = ['mcp', 'a2a', 'agentClient'] as const
const HEADERS = ['spec.mcp.headers', 'spec.a2a.headers'] as const

const FIELDS: readonly Row[] = [
  { kind: 'MeshRelay', path: 'spec.identity.keyFile', place: 'files', instead: OPERATOR_KEEPS_KEY },
  { kind: 'MeshRelay', path: 'spec.replica', place: 'files', instead: 'instances are called as their pods' },
  {
    kind: 'MeshRelay',
    path: 'spec.identity.rotation.every',
    place: 'cluster',
    instead: 'change the key by hand, with a second handle in the MeshPeers of the other side',
  },
  ...['certFile', 'keyFile'].map(
    (field): Row => ({
      kind: 'MeshRelay',
      path: `spec.listeners.npamp.tls.${field}`,
      place: 'files',
      instead: SECRET_OF_LISTENER,
    }),
  ),
  { kind: 'MeshRelay', path: 'spec.listeners.npamp.tls.secretRef', place: 'cluster', instead: FILES_OF_LISTENER },
  ...HTTP_LISTENERS.flatMap((name): Row[] => [
    ...['certFile', 'keyFile', 'clientCAFile'].map(
      (field): Row => ({
        kind: 'MeshRelay',
        path: `spec.listeners.${name}.tls.${field}`,
        place: 'files',
        instead: SECRET_OF_LISTENER,
      }),
    ),
    { kind: 'MeshRelay', path: `spec.listeners.${name}.tls.secretRef`, place: 'cluster', instead: FILES_OF_LISTENER },
  ]),
  { kind: 'MeshPeer', path: 'spec.tls.caFile', place: 'files', instead: 'use caSecretRef or caConfigMapRef' },
  { kind: 'MeshPeer', path: 'spec.tls.caSecretRef', place: 'cluster', instead: 'use caFile' },
  { kind: 'MeshPeer', path: 'spec.tls.caConfigMapRef', place: 'cluster', instead: 'use caFile' },
  ...HEADERS.flatMap((headers): Row[] => [
    { kind: 'MeshBackend', path: `${headers}.[].valueFile`, place: 'files', instead: HEADER_FROM_SECRET },
    { kind: 'MeshBackend', path: `${headers}.[].valueFromEnv`, place: 'files', instead: HEADER_FROM_SECRET },
    { kind: 'MeshBackend', path: `${headers}.[].valueFrom`, place: 'cluster', instead: HEADER_FROM_FILE },
  ]),
  {
    kind: 'MeshBackend',
    path: 'spec.mcp.stdio.inheritEnv.[]',
    place: 'files',
    instead: 'a relay in a pod has no environment of yours; use env',
  },
  {
    kind: 'MeshBackend',
    path: 'spec.workload',
    place: 'cluster',
    instead: 'start the server yourself and give its url, or let the relay start it with mcp.stdio',
  },
]

/** The paths of all values that are there. */
function found(value: unknown, [step, ...rest]: readonly string[], path: FieldPath): FieldPath[] {
  if (value === undefined) return []
  if (step === undefined) return [path]
  if (step === '[]')
    return (value as readonly unknown[]).flatMap((entry, index) => found(entry, rest, [...path, index]))
  return found((value as Readonly<Record<string, unknown>>)[step], rest, [...path, step])
}
