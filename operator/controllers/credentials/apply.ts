import { keyOf } from '@causeway/kube'
import { credentialsName } from '@causeway/mesh-api'
import { ownedMetadata, type RelayInput } from '../../infra/relay-input.ts'
import type { Entries } from '../../world/entries.ts'
import { SECRETS, type SecretObject } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import { belongsTo } from '../workload/gather.ts'
import type { CredentialsDecision } from './decide.ts'

/** An API server takes a Secret of 1 MiB; base64 and metadata are the rest. */
const MAX_OCTETS = 700_000

export type Applied =
  | { readonly kind: 'written'; readonly secret: SecretObject }
  /** A source changed while it was read. */
  | { readonly kind: 'again' }
  | { readonly kind: 'tooLarge'; readonly octets: number }
  /** Somebody else has a Secret of this name. */
  | { readonly kind: 'taken' }

/** Writes the one Secret of a relay, with the values as they are now. */
export async function applyCredentials(
  tools: Pick<Tools, 'client'>,
  entries: Entries,
  input: RelayInput,
  decision: CredentialsDecision,
): Promise<Applied> {
  const { name, namespace } = input.relay.metadata
  const metadata = ownedMetadata(input, credentialsName(name))
  const live = await tools.client.find(SECRETS, { name: metadata.name, namespace })
  if (live !== undefined && belongsTo(live, { name, uid: input.uid }) === 'others') return { kind: 'taken' }
  const data: Record<string, string> = {}
  for (const file of decision.kept) {
    const text = live?.data?.[file]
    if (text !== undefined) data[file] = text
  }
  const sources = new Map<string, ReadonlyMap<string, Buffer> | undefined>()
  for (const { file, ref } of decision.copied) {
    const source = `${ref.entry.kind} ${keyOf(ref.entry)}`
    if (!sources.has(source)) sources.set(source, await entries.values(ref.entry))
    const octets = sources.get(source)?.get(ref.entry.key)
    if (octets === undefined) return { kind: 'again' }
    data[file] = octets.toString('base64')
  }
  const octets = Object.values(data).reduce((sum, text) => sum + (text.length * 3) / 4, 0)
  if (octets > MAX_OCTETS) return { kind: 'tooLarge', octets }
  const secret =
    live === undefined
      ? await tools.client.create<SecretObject>(SECRETS, { metadata, type: 'Opaque', data })
      : await tools.client.replace<SecretObject>(SECRETS, {
          ...live,
          metadata: { ...live.metadata, labels: metadata.labels, ownerReferences: metadata.ownerReferences ?? [] },
          data,
        })
  return { kind: 'written', secret }
}
