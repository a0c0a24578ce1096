import { redacted } from '@causeway/mesh-api'
import type { Configuration } from '../snapshot/configuration.ts'
import { type ObjectKey, objectIdOf } from '../snapshot/object-key.ts'
import type { SourceObject } from '../sources/source.ts'
import type { MemoryStatus, StoredCondition } from '../status/memory-sink.ts'

/** Every object with its status, in the shapes of the custom resources; `spec` without what is secret. */
export interface StatusDocument {
  readonly resources: readonly DocumentedObject[]
}

interface DocumentedObject {
  readonly kind: string
  readonly metadata: { readonly namespace: string; readonly name: string; readonly generation: number }
  readonly spec: unknown
  readonly status: {
    readonly conditions: readonly StoredCondition[]
    readonly relays: readonly unknown[]
    readonly relayCount: number
    readonly identity?: unknown
  }
}

/** `startedAtMs`: Unix milliseconds; since when objects are accepted. */
export function statusDocument(
  configuration: Configuration,
  statuses: MemoryStatus,
  startedAtMs: number,
): StatusDocument {
  const since = `${new Date(startedAtMs).toISOString().slice(0, 19)}Z`
  const keys = [...configuration.objects.keys()].sort()
  return { resources: keys.flatMap((key) => documented(key, configuration.object(key), statuses, since)) }
}

function documented(
  key: ObjectKey,
  object: SourceObject | undefined,
  statuses: MemoryStatus,
  since: string,
): readonly DocumentedObject[] {
  if (object === undefined) return []
  const { kind, name } = objectIdOf(key)
  const { conditions = [], relays = [], relayCount = 0 } = statuses.get(kind, name) ?? {}
  const { metadata, spec } = redacted(object.resource)
  const { identity } = object.status
  return [
    {
      kind,
      metadata: { namespace: metadata.namespace, name: metadata.name, generation: object.generation },
      spec,
      status: {
        conditions: [accepted(object.generation, since), ...conditions],
        relays,
        relayCount,
        ...(identity === undefined ? {} : { identity: { ...identity, since } }),
      },
    },
  ]
}

/** A set of files is taken as a whole or not at all: what is here has been accepted. */
function accepted(observedGeneration: number, lastTransitionTime: string): StoredCondition {
  const message = 'the files that it stands in are valid'
  return { type: 'Accepted', status: 'True', observedGeneration, reason: 'Accepted', message, lastTransitionTime }
}
