import type { AnyResource } from '../kinds/all-kinds.ts'
import type { Finding } from './finding.ts'
import { namespaceOf, referredName } from './object-id.ts'
import { relayRefsOf } from './references-of.ts'
import { permitted, type Surroundings } from './surroundings.ts'

/**
 * A program runs in the relay's container, where the relay's key is and what others gave it for their servers. Whoever
 * permits a namespace to name a relay (CONTROL section 1) has not given it that away: on a cluster only the namespace of
 * the relay itself may have programs started there. All files together are one person's.
 */
export function checkPrograms(object: AnyResource, surroundings: Surroundings): Finding[] {
  if (surroundings.place !== 'cluster' || object.kind !== 'MeshBackend' || object.spec.mcp.stdio === undefined)
    return []
  const { namespace } = object.metadata
  return (relayRefsOf(object) ?? []).flatMap((reference, index): Finding[] => {
    const name = referredName(object, reference)
    // Of a relay that is not this object's to name, nothing is said but that.
    const isThere = permitted(surroundings, 'MeshRelay', name, namespace) !== undefined
    if (!isThere || namespaceOf(name) === namespace) return []
    const message = `mcp.stdio starts a program with the rights of MeshRelay ${name}, which only objects of namespace ${namespaceOf(name)} may; start the server yourself and give its mcp.url`
    return [{ id: 'ProgramNotPermitted', object, fieldPath: ['spec', 'relayRefs', index, 'name'], message }]
  })
}
