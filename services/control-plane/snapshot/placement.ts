import type { AnyResource } from '@causeway/mesh-api'
import { MAX_BODY_OCTETS } from '@causeway/rpc'
import type { Ir } from '../ir/ir.ts'
import { referred } from '../resolve/lookup.ts'
import { Withheld } from '../resolve/withheld.ts'
import type { SourceObject } from '../sources/source.ts'
import type { Placement } from './object-state.ts'
import { encodeResource } from './resource.ts'

/** With the resource of `last` where that is not different; or why relays would not take it. */
export function placementOf({ resource }: SourceObject, ir: Ir, last: Placement | undefined): Placement | Withheld {
  const { namespace, name } = resource.metadata
  const encoded = encodeResource(`${namespace}/${name}`, ir)
  const octets = encoded.body.length
  // A relay takes nothing of a Delta that has it, and nothing else of the relay must wait for this one.
  if (octets > MAX_BODY_OCTETS) {
    return new Withheld('TooLarge', '', `it takes ${octets} octets; a relay takes at most ${MAX_BODY_OCTETS}`)
  }
  const relays = relaysOf(resource)
  const handles = ir.kind === 'peer' && ir.identity !== 'any' ? ir.identity.handles : undefined
  const isSame = last?.resource.versionHex === encoded.versionHex
  return { resource: isSame ? last.resource : encoded, from: resource, relays, handles }
}

/** `namespace/name` of the relays that an object is for. */
export function relaysOf({ kind, metadata: { namespace, name }, spec }: AnyResource): readonly string[] {
  if (kind === 'MeshRelay') return [`${namespace}/${name}`]
  return 'relayRefs' in spec ? spec.relayRefs.map((relay) => referred(namespace, relay)) : []
}

/** A last good version at the relays that the object still names: from the others it is taken, whatever it waits for. */
export function narrowed(last: Placement | undefined, resource: AnyResource): Placement | undefined {
  if (last === undefined) return undefined
  const named = relaysOf(resource)
  const relays = last.relays.filter((relay) => named.includes(relay))
  if (relays.length === last.relays.length) return last
  return relays.length === 0 ? undefined : { ...last, relays }
}
