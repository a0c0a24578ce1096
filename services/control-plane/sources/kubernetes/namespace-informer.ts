import { Informer, type InformerListener, type InformerOptions, type KubeObject } from '@causeway/kube'
import type { NamespaceChange } from '../source.ts'
import { NAMESPACES } from './source-id.ts'

/** Labels of namespaces that have not been told yet. */
export class PendingNamespaces {
  /** Undefined: it is gone. */
  readonly #latest = new Map<string, Readonly<Record<string, string>> | undefined>()

  upsert(name: string, labels: Readonly<Record<string, string>>): void {
    this.#latest.set(name, labels)
  }

  remove(name: string): void {
    this.#latest.set(name, undefined)
  }

  /** All of it; undefined when there is nothing. */
  take(): NamespaceChange | undefined {
    if (this.#latest.size === 0) return undefined
    const upserts: { name: string; labels: Readonly<Record<string, string>> }[] = []
    const removals: string[] = []
    for (const [name, labels] of this.#latest) {
      if (labels === undefined) removals.push(name)
      else upserts.push({ name, labels })
    }
    this.#latest.clear()
    return { upserts, removals }
  }
}

/** All namespaces, whatever is watched: a grant by selector may name any of them. Only metadata is read. */
export function namespaceInformer(
  options: Omit<InformerOptions<KubeObject>, 'type' | 'strip' | 'namespaces' | 'metadataOnly'>,
  pending: PendingNamespaces,
  listener: Pick<InformerListener<KubeObject>, 'synced' | 'moved' | 'failing'>,
): Informer<KubeObject> {
  return new Informer<KubeObject>(
    { ...options, type: NAMESPACES, namespaces: '*', metadataOnly: true, strip: labelsOnly },
    {
      ...listener,
      upsert: ({ metadata: { name, labels = {} } }, old) => {
        if (!isSameLabels(labels, old?.metadata.labels)) pending.upsert(name, labels)
      },
      remove: ({ metadata }) => pending.remove(metadata.name),
    },
  )
}

function labelsOnly({ metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels } = metadata
  return {
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: labels ?? {},
    },
  }
}

function isSameLabels(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>> | undefined,
): boolean {
  if (other === undefined) return false
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
