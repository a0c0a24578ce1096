import type { RouteConfig } from '../config/relay-config.ts'
import { edgeRoute } from '../edge-options.ts'
import type { CallTarget } from '../exchanges/contract.ts'
import type { RouteInForce } from '../live/in-force.ts'
import { unavailableTarget } from '../local/unavailable-target.ts'
import type { Route } from './route.ts'
import { buildRouteTable, type RouteTable } from './route-table.ts'

/** Where routes lead. */
export interface RouteTargets {
  /** By `namespace/name`; always the same for one name. */
  backend(name: string): CallTarget
  peer(name: string, target: string | undefined): CallTarget
}

/** The routes that are in force, and the table that is made of them. */
export class RouteSet {
  readonly #targets: RouteTargets
  readonly #byName = new Map<string, { readonly config: RouteConfig; readonly route: Route }>()
  readonly #usesOfBackends = new Map<string, number>()
  #table: RouteTable = buildRouteTable([])

  constructor(targets: RouteTargets) {
    this.#targets = targets
  }

  get table(): RouteTable {
    return this.#table
  }

  /** Whether a route leads to this backend. */
  leadsTo(backend: string): boolean {
    return this.#usesOfBackends.has(backend)
  }

  /** Names (`CallTarget.name`) of what routes call behind this peer. */
  targetsBehind(peer: string): ReadonlySet<string> {
    const found = new Set<string>()
    for (const { config, route } of this.#byName.values()) {
      if ('peer' in config.target && config.target.peer === peer) found.add(route.target.name)
    }
    return found
  }

  /**
   * Makes another table. The answer is the routes whose sessions are over: those that are gone, and those that lead elsewhere
   * (CARRIAGE section 1: a session never reaches a target that it was not opened with). Throws RouteError, which the tables
   * of a relay were checked for.
   */
  change(changes: ReadonlyMap<string, RouteInForce | undefined>): ReadonlySet<string> {
    const ended = new Set<string>()
    const gone: Route[] = []
    const come = new Map<string, Route>()
    for (const [name, change] of changes) {
      const before = this.#byName.get(name)?.route
      const after = change && edgeRoute(change.config, this.#targetOf(change))
      if (before !== undefined) gone.push(before)
      if (before !== undefined && before.target.name !== after?.target.name) ended.add(name)
      if (after !== undefined) come.set(name, after)
    }
    this.#table = this.#table.changed(gone, [...come.values()])
    for (const [name, change] of changes) this.#remember(name, change?.config, come.get(name))
    return ended
  }

  #targetOf({ config: { target }, isAvailable }: RouteInForce): CallTarget {
    if ('backend' in target) {
      return isAvailable ? this.#targets.backend(target.backend) : unavailableTarget(`MeshBackend ${target.backend}`)
    }
    return isAvailable ? this.#targets.peer(target.peer, target.target) : unavailableTarget(`MeshPeer ${target.peer}`)
  }

  #remember(name: string, config: RouteConfig | undefined, route: Route | undefined): void {
    this.#count(this.#byName.get(name)?.config, -1)
    this.#count(config, 1)
    if (config === undefined || route === undefined) this.#byName.delete(name)
    else this.#byName.set(name, { config, route })
  }

  #count(config: RouteConfig | undefined, change: 1 | -1): void {
    if (config === undefined || !('backend' in config.target)) return
    const { backend } = config.target
    const uses = (this.#usesOfBackends.get(backend) ?? 0) + change
    if (uses > 0) this.#usesOfBackends.set(backend, uses)
    else this.#usesOfBackends.delete(backend)
  }
}
