import type { Labels } from '../check/grants.ts'
import type { ObjectId } from '../check/object-id.ts'
import type { Place } from '../check/places.ts'
import type { AnyResource, Resources } from '../kinds/all-kinds.ts'
import type { MeshRelay } from '../kinds/mesh-relay.ts'

export interface MeshIndexOptions {
  readonly place: Place
  /** The namespace of the installation, whose policies bind every relay. */
  readonly installationNamespace?: string
}

/** What has changed in the world. Objects are valid by themselves, with their defaults; each stands once. */
export interface MeshChange {
  readonly upserts?: readonly AnyResource[]
  /** Of objects that are not there any more; of others nothing happens. */
  readonly removals?: readonly ObjectId[]
  /** Objects that are there and are not valid, from now on; a valid one of that name ends it. */
  readonly declared?: readonly ObjectId[]
  readonly namespaces?: {
    readonly upserts?: readonly { readonly name: string; readonly labels: Labels }[]
    readonly removals?: readonly string[]
  }
}

/** What follows from a change. */
export interface MeshEffect {
  /** Objects whose findings are others now. New and removed objects only where they had or have any. */
  readonly verdicts: readonly ObjectId[]
  /**
   * By relay, `namespace/name`: objects of its closure, before or after, that changed: themselves, in their findings, or
   * in whether they belong to it. Relays that are gone too.
   */
  readonly closures: ReadonlyMap<string, readonly ObjectId[]>
}

/**
 * One relay and what it is sent (CONTROL section 1): the routes, peers, backends and discovery records that name it and
 * that it permits, the policies that are for any of these, the anchors that they use. Nothing else.
 */
export interface Closure extends Pick<Resources, 'peers' | 'backends' | 'routes' | 'records' | 'policies' | 'anchors'> {
  readonly relay: MeshRelay
}
