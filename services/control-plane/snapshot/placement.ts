import type { Ir } from '../ir/ir.ts'
import { referred } from '../resolve/lookup.ts'
import type { SourceObject } from '../sources/source.ts'
import type { Placement } from './object-state.ts'
import { encodeResource } from './resource.ts'

/** The same object as `last` where nothing is different. */
export function placementOf({ resource }: SourceObject, ir: Ir, last: Placement | undefined): Placement {
  const { namespace, name } = resource.metadata
  const encoded = encodeResource(`${namespace}/${name}`, ir)
  const relays =
    resource.kind === 'MeshRelay'
      ? [`${namespace}/${name}`]
      : 'relayRefs' in resource.spec
        ? resource.spec.relayRefs.map((relay) => referred(namespace, relay))
        : []
  if (last?.resource.versionHex === encoded.versionHex && last.relays.join() === relays.join()) return last
  const handles = ir.kind === 'peer' && ir.identity !== 'any' ? ir.identity.handles : undefined
  return { resource: encoded, relays, handles }
}
