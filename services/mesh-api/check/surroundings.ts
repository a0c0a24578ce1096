import type { AnyResource, ResourceOf } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import { type Labels, permits } from './grants.ts'
import { nameOf, namespaceOf, type ObjectId, referredName } from './object-id.ts'
import type { Place } from './places.ts'
import { relayRefsOf } from './references-of.ts'

/** What an object is judged by besides itself. */
export interface Surroundings {
  readonly place: Place
  get<Kind extends KindName>(kind: Kind, name: string): ResourceOf<Kind> | undefined
  /** Whether there is such an object that is not valid by itself, and so is not known. */
  isDeclared(id: ObjectId): boolean
  labelsOf(namespace: string): Labels
  /** `namespace/name` of who has a value that only one object of a relay may have: the first of those that claim it. */
  ownerOf(claim: string): string | undefined
}

/** An object that is there and may be referred to from a namespace. */
export function permitted<Kind extends KindName>(
  surroundings: Surroundings,
  kind: Kind,
  name: string,
  from: string,
): ResourceOf<Kind> | undefined {
  const object = surroundings.get(kind, name)
  return object !== undefined && permits(object, from, surroundings.labelsOf(from)) ? object : undefined
}

/** `namespace/name` of the relays that an object names, each once. */
export function relayNamesOf(object: AnyResource): readonly string[] {
  return [...new Set((relayRefsOf(object) ?? []).map((reference) => referredName(object, reference)))]
}

/**
 * Whether what an object uses is on a relay of that object: it names the relay, and may. Of a relay that the user may not
 * name only the names count: whether it is there, and for whom, is not the user's to learn.
 */
export function isOn(surroundings: Surroundings, used: AnyResource, relay: string, user: AnyResource): boolean {
  if (!relayNamesOf(used).includes(relay)) return false
  const found = permitted(surroundings, 'MeshRelay', relay, user.metadata.namespace)
  const { namespace } = used.metadata
  return found === undefined || permits(found, namespace, surroundings.labelsOf(namespace))
}

/** The relays in whose closure an object is: those that it names, that are there and that permit it. */
export function boundRelays(surroundings: Surroundings, object: AnyResource): readonly string[] {
  const { namespace } = object.metadata
  if (object.kind === 'MeshRelay') return [nameOf(object.metadata)]
  return relayNamesOf(object).filter((relay) => permitted(surroundings, 'MeshRelay', relay, namespace) !== undefined)
}

/** Nobody is blamed for naming an object that is itself wrong; what other namespaces have is nobody's business. */
export function isBlameless(surroundings: Surroundings, id: ObjectId, from: string): boolean {
  return surroundings.isDeclared(id) && (surroundings.place === 'files' || namespaceOf(id.name) === from)
}
