import { createHash } from 'node:crypto'
import type { KubeClient } from '@causeway/kube'
import type { DataEntry } from '@causeway/mesh-api'
import { DataMemo } from './data-memo.ts'
import { CONFIG_MAPS, type ConfigMapObject, SECRETS, type SecretObject } from './resource-types.ts'
import type { World } from './world.ts'

/** Lower-case hexadecimal SHA-256 of each entry, by its key. */
export type Digests = ReadonlyMap<string, string>

/** What Secrets and ConfigMaps hold, by digest: enough to tell whether something is there and whether it changed. */
export class Entries {
  readonly #secrets: DataMemo<SecretObject, Digests>
  readonly #configMaps: DataMemo<ConfigMapObject, Digests>
  readonly #client: Pick<KubeClient, 'find'>

  constructor(client: Pick<KubeClient, 'find'>, world: Pick<World, 'secrets' | 'configMaps'>) {
    this.#client = client
    const read = (object: SecretObject | ConfigMapObject) =>
      new Map([...valuesOf(object)].map(([key, octets]) => [key, sha256(octets)]))
    this.#secrets = new DataMemo({ client, type: SECRETS, metadata: world.secrets, read })
    this.#configMaps = new DataMemo({ client, type: CONFIG_MAPS, metadata: world.configMaps, read })
  }

  /** Undefined: there is no such object. */
  digests({ kind, namespace, name }: Omit<DataEntry, 'key'>): Promise<Digests | undefined> {
    return (kind === 'Secret' ? this.#secrets : this.#configMaps).read({ namespace, name })
  }

  /** A Secret as the API server answered it. */
  learn(secret: SecretObject): Digests {
    return this.#secrets.learn(secret)
  }

  /** The values, read now; undefined: there is no such object. */
  async values({ kind, namespace, name }: Omit<DataEntry, 'key'>): Promise<ReadonlyMap<string, Buffer> | undefined> {
    const ref = { namespace, name }
    const object = kind === 'Secret' ? await this.#client.find(SECRETS, ref) : await this.#client.find(CONFIG_MAPS, ref)
    return object === undefined ? undefined : valuesOf(object)
  }
}

function sha256(octets: Buffer): string {
  return createHash('sha256').update(octets).digest('hex')
}

function valuesOf(object: SecretObject | ConfigMapObject): Map<string, Buffer> {
  const isSecret = object.kind === 'Secret'
  const values = new Map<string, Buffer>()
  for (const [key, text] of Object.entries(object.data ?? {}))
    values.set(key, Buffer.from(text, isSecret ? 'base64' : 'utf8'))
  if ('binaryData' in object)
    for (const [key, text] of Object.entries(object.binaryData ?? {})) values.set(key, Buffer.from(text, 'base64'))
  return values
}
