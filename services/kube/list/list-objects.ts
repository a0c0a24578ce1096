import type { Clock } from '../clock.ts'
import type { Connection } from '../connection/contract.ts'
import { apiVersionOf, type KubeObject, type ResourceType } from '../objects.ts'
import { withDeadline } from '../rest/deadline.ts'
import { KubeError } from '../rest/kube-error.ts'
import { collectionPath, describe, withQuery } from '../rest/paths.ts'
import { chunksOf, parseJson } from '../rest/read-json.ts'
import { send } from '../rest/send.ts'
import { ListSplitter } from './split-list.ts'

export interface Selection {
  /** Left out: every namespace. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only kind and metadata leave the API server: for Secrets, whose values nobody asked for. */
  readonly metadataOnly?: boolean
}

export interface ListRequest<T extends KubeObject> extends Selection {
  readonly type: ResourceType<T>
  /** Objects a page; default 500. */
  readonly pageSize?: number
  readonly signal?: AbortSignal
  /** For each page; default 30 s. */
  readonly timeoutMs?: number
}

const PAGE_SIZE = 500
const PAGE_TIMEOUT_MS = 30_000
/** etcd takes 1.5 MB by default; the rest is for what JSON adds. */
const MAX_OBJECT_OCTETS = 8 * 1_024 * 1_024

/**
 * Lists page by page and hands over one object at a time. The read is consistent (`resourceVersion` unset): never older
 * than a write that was answered before, whichever API server answers.
 * @returns the resource version of the list, from which a watch goes on
 * @throws {KubeError} also `Expired` when the list changed too much between two pages: begin again
 */
export async function listObjects<T extends KubeObject>(
  connection: Connection,
  clock: Clock,
  request: ListRequest<T>,
  onObject: (object: T) => void,
): Promise<string> {
  const { type, namespace, signal } = request
  const what = describe('list', type, namespace === undefined ? {} : { namespace })
  let continueToken: string | undefined
  for (;;) {
    const path = withQuery(collectionPath(type, namespace), {
      limit: request.pageSize ?? PAGE_SIZE,
      continue: continueToken,
      labelSelector: request.labelSelector,
      fieldSelector: request.fieldSelector,
    })
    const timeoutMs = request.timeoutMs ?? PAGE_TIMEOUT_MS
    const page = await withDeadline({ clock, timeoutMs, signal, what }, async (pageSignal) => {
      const splitter = new ListSplitter({ maxObjectOctets: MAX_OBJECT_OCTETS, what }, (item) =>
        onObject(typedObject(type, parseJson(item, what))),
      )
      const accept = acceptOf(request.metadataOnly, 'PartialObjectMetadataList')
      const response = await send(connection, { method: 'GET', path, accept, what, signal: pageSignal })
      for await (const chunk of chunksOf(response, what)) splitter.push(chunk)
      return pageOf(parseJson(splitter.end(), what), what)
    })
    if (page.continueToken === undefined) return page.resourceVersion
    continueToken = page.continueToken
  }
}

/** The media type that leaves out everything but metadata, or plain JSON. */
export function acceptOf(metadataOnly: boolean | undefined, kind: string): string {
  return metadataOnly === true ? `application/json;as=${kind};g=meta.k8s.io;v=v1` : 'application/json'
}

/** Items of a list of a built-in kind carry neither apiVersion nor kind. */
export function typedObject<T extends KubeObject>(type: ResourceType<T>, value: unknown): T {
  return Object.assign(value as T, { apiVersion: apiVersionOf(type), kind: type.kind })
}

function pageOf(envelope: unknown, what: string): { resourceVersion: string; continueToken: string | undefined } {
  const { metadata } = envelope as { metadata?: { resourceVersion?: unknown; continue?: unknown } }
  const resourceVersion = metadata?.resourceVersion
  if (typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw new KubeError('BadResponse', `${what}: the list has no resourceVersion`)
  }
  const token = metadata?.continue
  return { resourceVersion, continueToken: typeof token === 'string' && token !== '' ? token : undefined }
}
