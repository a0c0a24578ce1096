import type { Connection } from '../connection/contract.ts'
import { acceptOf, type Selection, typedObject } from '../list/list-objects.ts'
import type { KubeObject, ResourceType } from '../objects.ts'
import { KubeError } from '../rest/kube-error.ts'
import { collectionPath, describe, withQuery } from '../rest/paths.ts'
import { chunksOf, parseJson } from '../rest/read-json.ts'
import { send } from '../rest/send.ts'
import { errorOfStatus } from '../rest/status.ts'
import { LineSplitter } from './split-lines.ts'

export interface WatchRequest<T extends KubeObject> extends Selection {
  readonly type: ResourceType<T>
  /** Events after this version. */
  readonly resourceVersion: string
  /** After which the API server ends the watch. */
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: T; readonly resourceVersion: string }
  /** Nothing changed up to this version. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

const MAX_EVENT_OCTETS = 8 * 1_024 * 1_024

/**
 * One watch, as the events arrive; it ends when the API server ends it. `onOctets` is called for whatever arrives, so
 * that the caller notices silence.
 * @throws {KubeError} `Expired` when the version is too old; `Unreachable` when the connection breaks
 */
export async function* watchEvents<T extends KubeObject>(
  connection: Connection,
  request: WatchRequest<T>,
  onOctets: () => void,
): AsyncGenerator<WatchEvent<T>> {
  const { type, namespace, signal } = request
  const what = describe('watch', type, namespace === undefined ? {} : { namespace })
  const path = withQuery(collectionPath(type, namespace), {
    watch: true,
    resourceVersion: request.resourceVersion,
    allowWatchBookmarks: true,
    timeoutSeconds: request.timeoutSeconds,
    labelSelector: request.labelSelector,
    fieldSelector: request.fieldSelector,
  })
  const accept = acceptOf(request.metadataOnly, 'PartialObjectMetadata')
  const response = await send(connection, { method: 'GET', path, accept, what, signal })
  onOctets()
  const lines = new LineSplitter(MAX_EVENT_OCTETS, what)
  for await (const chunk of chunksOf(response, what)) {
    onOctets()
    for (const line of lines.push(chunk)) yield eventOf(type, parseJson(line, what), what)
  }
}

function eventOf<T extends KubeObject>(type: ResourceType<T>, value: unknown, what: string): WatchEvent<T> {
  const event = value as { type?: unknown; object?: { metadata?: { resourceVersion?: unknown } } }
  if (event.type === 'ERROR') throw errorOfStatus(what, 0, event.object)
  const resourceVersion = event.object?.metadata?.resourceVersion
  if (typeof resourceVersion !== 'string') throw new KubeError('BadResponse', `${what}: an event without a version`)
  switch (event.type) {
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion }
    case 'ADDED':
      return { type: 'added', object: typedObject(type, event.object), resourceVersion }
    case 'MODIFIED':
      return { type: 'modified', object: typedObject(type, event.object), resourceVersion }
    case 'DELETED':
      return { type: 'deleted', object: typedObject(type, event.object), resourceVersion }
    default:
      throw new KubeError('BadResponse', `${what}: an event of type ${JSON.stringify(event.type)}`)
  }
}
