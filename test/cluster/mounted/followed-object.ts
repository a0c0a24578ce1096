import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from '../api/client.ts'

/** A Secret, or a ConfigMap, as far as a volume is concerned. */
export type Content = ReadonlyMap<string, Buffer>

export interface FollowedName {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly namespace: string
  readonly name: string
}

interface StoredObject {
  readonly metadata: { readonly resourceVersion: string }
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
}

/** Also the time for which an API server that is gone is left alone. */
const RETRY_MS = 250

/**
 * Tells the content of one object now and after each change; undefined while there is none. Goes on through every failure
 * of the API server, until `signal` aborts.
 */
export async function followObject(
  client: ApiClient,
  of: FollowedName,
  signal: AbortSignal,
  tell: (content: Content | undefined) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await followOnce(client, of, signal, tell)
    } catch {
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

async function followOnce(
  client: ApiClient,
  of: FollowedName,
  signal: AbortSignal,
  tell: (content: Content | undefined) => void,
): Promise<void> {
  const collection = `/api/v1/namespaces/${of.namespace}/${of.kind === 'Secret' ? 'secrets' : 'configmaps'}`
  const selector = `fieldSelector=${encodeURIComponent(`metadata.name=${of.name}`)}`
  const list = (await client.send({ path: `${collection}?${selector}`, signal })) as {
    metadata: { resourceVersion: string }
    items: StoredObject[]
  }
  tell(list.items[0] === undefined ? undefined : contentOf(of, list.items[0]))
  let { resourceVersion } = list.metadata
  while (!signal.aborted) {
    const watch = client.watch(`${collection}?${selector}&watch=true&resourceVersion=${resourceVersion}`, signal)
    for await (const { type, object } of watch) {
      const stored = object as StoredObject
      resourceVersion = stored.metadata.resourceVersion
      tell(type === 'DELETED' ? undefined : contentOf(of, stored))
    }
  }
}

function contentOf({ kind }: FollowedName, stored: StoredObject): Content {
  const decode = (encoding: 'base64' | 'utf8') => (entry: [string, string]) =>
    [entry[0], Buffer.from(entry[1], encoding)] as const
  const data = Object.entries(stored.data ?? {}).map(decode(kind === 'Secret' ? 'base64' : 'utf8'))
  const binaryData = Object.entries(stored.binaryData ?? {}).map(decode('base64'))
  return new Map([...data, ...binaryData])
}
