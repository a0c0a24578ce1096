import { createHash } from 'node:crypto'
import { type KubeClient, keyOf, type ObjectMeta } from '@causeway/kube'
import type { DataEntry } from '@causeway/mesh-api'
import { DataMemo } from './data-memo.ts'
import { MANAGED_BY, MANAGER } from './managed.ts'
import { CONFIG_MAPS, type ConfigMapObject, SECRETS, type SecretObject } from './resource-types.ts'
import type { World } from './world.ts'

/** Lower-case hexadecimal SHA-256 of each entry, by its key. */
export type Digests = ReadonlyMap<string, string>

/** What Secrets and ConfigMaps hold, by digest: enough to tell whether something is there and whether it changed. */
export class Entries {
  readonly #secrets: DataMemo<SecretObject, Digests>
  readonly #configMaps: DataMemo<ConfigMapObject, Digests>
  readonly #client: Pick<KubeClient, 'find'>
  readonly #metadata: Pick<World, 'secrets'>

  constructor(client: Pick<KubeClient, 'find'>, world: Pick<World, 'secrets' | 'configMaps'>) {
    this.#client = client
    this.#metadata = world
    const read = (object: SecretObject | ConfigMapObject) =>
      new Map([...valuesOf(object)].map(([key, octets]) => [key, sha256(octets)]))
    this.#secrets = new DataMemo({ client, type: SECRETS, metadata: world.secrets, read })
    this.#configMaps = new DataMemo({ client, type: CONFIG_MAPS, metadata: world.configMaps, read })
  }

  /**
   * Of what a person may name. Undefined: there is no such object, or it is one that the operator made: keys of relays and
   * of the authority are nobody's credentials, and would be copied to where others read them.
   */
  async digests({ kind, namespace, name }: Omit<DataEntry, 'key'>): Promise<Digests | undefined> {
    const ref = { namespace, name }
    if (kind !== 'Secret') return this.#configMaps.read(ref)
    const metadata = this.#metadata.secrets.get(keyOf(ref))?.metadata
    return metadata === undefined || isMadeHere(metadata) ? undefined : this.#secrets.read(ref)
  }

  /** Of a Secret that the operator made. */
  projected(ref: { readonly namespace: string; readonly name: string }): Promise<Digests | undefined> {
    return this.#secrets.read(ref)
  }

  /** A Secret as the API server answered it. */
  learn(secret: SecretObject): Digests {
    return this.#secrets.learn(secret)
  }

  /** The values, read now; undefined: there is no such object. */
  async values({ kind, namespace, name }: Omit<DataEntry, 'key'>): Promise<ReadonlyMap<string, Buffer> | undefined> {
    const ref = { namespace, name }
    const object = kind === 'Secret' ? await this.#client.find(SECRETS, ref) : await this.#client.find(CONFIG_MAPS, ref)
    return object === undefined || (kind === 'Secret' && isMadeHere(object.metadata)) ? undefined : valuesOf(object)
  }
}

function isMadeHere({ labels }: ObjectMeta): boolean {
  return labels?.[MANAGED_BY] === MANAGER
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
