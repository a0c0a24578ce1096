import { closureOf, type Resources } from '@causeway/mesh-api'

/** The relays to start, as `namespace/name`, or why there are none. */
export type Choice = { readonly relayNames: readonly string[] } | { readonly refusal: string }

export function chooseRelays(resources: Resources, wanted: string | undefined): Choice {
  const names = resources.relays.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  if (names.length === 0) return { refusal: 'the files describe no MeshRelay; there is nothing to start' }
  if (wanted === undefined) return { relayNames: names }
  const found = closureOf(resources, wanted)?.relay.metadata
  if (found !== undefined) return { relayNames: [`${found.namespace}/${found.name}`] }
  const known = names.length > 8 ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more` : names.join(', ')
  return { refusal: `--relay does not name exactly one MeshRelay; the files describe ${known}` }
}
