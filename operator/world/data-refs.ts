import { type AnyResource, DATA_KEYS, type DataEntry, type FieldPath } from '@causeway/mesh-api'

/** One entry of a Secret or ConfigMap that an object names, always of its own namespace (CONTROL section 1). */
export interface DataRef {
  readonly entry: DataEntry
  readonly fieldPath: FieldPath
  /** Whether the operator copies it for the relays; else pods mount the Secret itself. */
  readonly isProjected: boolean
}

export function dataRefsOf(object: AnyResource): readonly DataRef[] {
  const { namespace } = object.metadata
  switch (object.kind) {
    case 'MeshBackend': {
      const headers = object.spec.mcp.headers.map((header, index) => ({
        header,
        at: ['spec', 'mcp', 'headers', index],
      }))
      const cards = (object.spec.a2a?.headers ?? []).map((header, index) => ({
        header,
        at: ['spec', 'a2a', 'headers', index],
      }))
      return [...headers, ...cards].flatMap(({ header, at }) => {
        const ref = header.valueFrom?.secretRef
        if (ref === undefined) return []
        const entry: DataEntry = { kind: 'Secret', namespace, ...ref }
        return [{ entry, fieldPath: [...at, 'valueFrom', 'secretRef'], isProjected: true }]
      })
    }
    case 'MeshPeer': {
      const { caSecretRef, caConfigMapRef } = object.spec.tls
      const refs: DataRef[] = []
      if (caSecretRef !== undefined) refs.push(authorities('Secret', 'caSecretRef', { namespace, ...caSecretRef }))
      if (caConfigMapRef !== undefined)
        refs.push(authorities('ConfigMap', 'caConfigMapRef', { namespace, ...caConfigMapRef }))
      return refs
    }
    case 'MeshRelay': {
      const { npamp, mcp } = object.spec.listeners
      return [
        ...listener(namespace, 'npamp', npamp?.tls.secretRef?.name, false),
        ...listener(namespace, 'mcp', mcp?.tls?.secretRef?.name, mcp?.tls?.clientCertificates === 'required'),
      ]
    }
    case 'AccessKey': {
      const entry: DataEntry = { kind: 'Secret', namespace, ...object.spec.secretRef }
      return [{ entry, fieldPath: ['spec', 'secretRef'], isProjected: false }]
    }
    case 'AgentCard': {
      const { configMapRef } = object.spec.source
      if (configMapRef === undefined) return []
      const entry: DataEntry = { kind: 'ConfigMap', namespace, ...configMapRef }
      return [{ entry, fieldPath: ['spec', 'source', 'configMapRef'], isProjected: false }]
    }
    default:
      return []
  }
}

function authorities(kind: DataEntry['kind'], field: string, at: Omit<DataEntry, 'kind'>): DataRef {
  return { entry: { kind, ...at }, fieldPath: ['spec', 'tls', field], isProjected: true }
}

function listener(namespace: string, which: string, name: string | undefined, hasClients: boolean): DataRef[] {
  if (name === undefined) return []
  const keys = [DATA_KEYS.certificate, DATA_KEYS.key, ...(hasClients ? [DATA_KEYS.authorities] : [])]
  return keys.map((key) => ({
    entry: { kind: 'Secret', namespace, name, key },
    fieldPath: ['spec', 'listeners', which, 'tls', 'secretRef'],
    isProjected: false,
  }))
}
