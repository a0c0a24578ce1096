import { isForbiddenParameter } from '@causeway/npamp'
import type { Route } from './route.ts'

/** All routes of a relay by path. Never changed, but swapped whole; a lookup is a hash or two, however many routes there are. */
export interface RouteTable {
  readonly size: number
  /** The route at exactly this path, or undefined. */
  find(path: string): Route | undefined
  /** A table in which the routes of `gone` are not, and those of `come` are. Throws as `buildRouteTable`. */
  changed(gone: readonly Route[], come: readonly Route[]): RouteTable
  [Symbol.iterator](): IterableIterator<Route>
}

/** Two routes that claim the same path, a path that no request can have, or a header that never crosses. */
export class RouteError extends Error {
  /** `namespace/name` of the route that cannot be served. */
  readonly route: string
  readonly code: 'PATH_TAKEN' | 'BAD_PATH' | 'BAD_HEADER'

  constructor(route: string, code: 'PATH_TAKEN' | 'BAD_PATH' | 'BAD_HEADER', message: string) {
    super(message)
    this.name = 'RouteError'
    this.route = route
    this.code = code
  }
}

/** Throws RouteError when a path is no absolute path without query, when two routes claim the same, or when a route forwards a header that must not cross. */
export function buildRouteTable(routes: Iterable<Route>): RouteTable {
  return new LayeredTable(new Map(), new Map()).changed([], [...routes])
}

/** Throws RouteError for what is wrong with a route whatever others there are. */
export function checkRoute(route: Pick<Route, 'name' | 'path' | 'forwardHeaders'>): void {
  checkPath(route)
  checkHeaders(route)
}

/** As many changes may lie over a table before they are worked into it: a change costs the same, however many routes there are. */
const MAX_CHANGES = 64

/** Undefined in `changes`: not any more. */
class LayeredTable implements RouteTable {
  readonly #base: ReadonlyMap<string, Route>
  readonly #changes: ReadonlyMap<string, Route | undefined>

  constructor(base: ReadonlyMap<string, Route>, changes: ReadonlyMap<string, Route | undefined>) {
    this.#base = base
    this.#changes = changes
  }

  get size(): number {
    return this.#flat().size
  }

  find(path: string): Route | undefined {
    if (this.#changes.size > 0) {
      const changed = this.#changes.get(path)
      if (changed !== undefined || this.#changes.has(path)) return changed
    }
    return this.#base.get(path)
  }

  changed(gone: readonly Route[], come: readonly Route[]): RouteTable {
    const changes = new Map(this.#changes)
    for (const { path } of gone) changes.set(path, undefined)
    const table = new LayeredTable(this.#base, changes)
    for (const route of come) {
      checkRoute(route)
      const other = table.find(route.path)
      if (other !== undefined) {
        const message = `route ${route.name}: path ${route.path} belongs to ${other.name}`
        throw new RouteError(route.name, 'PATH_TAKEN', message)
      }
      changes.set(route.path, route)
    }
    return changes.size <= MAX_CHANGES ? table : new LayeredTable(table.#flat(), new Map())
  }

  [Symbol.iterator](): IterableIterator<Route> {
    return this.#flat().values()
  }

  #flat(): ReadonlyMap<string, Route> {
    if (this.#changes.size === 0) return this.#base
    const flat = new Map(this.#base)
    for (const [path, route] of this.#changes) {
      if (route === undefined) flat.delete(path)
      else flat.set(path, route)
    }
    return flat
  }
}

/** The path of a request target, its query left out. RFC 9112 section 3.2.2: a server takes the absolute form as well. */
export function pathOf(requestTarget: string): string {
  const query = requestTarget.indexOf('?')
  const target = query < 0 ? requestTarget : requestTarget.slice(0, query)
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/]*/i, '')
}

function checkPath(route: Pick<Route, 'name' | 'path'>): void {
  if (!/^\/[\x21\x22\x24-\x3e\x40-\x7e]*$/.test(route.path)) {
    throw new RouteError(
      route.name,
      'BAD_PATH',
      `route ${route.name}: path ${JSON.stringify(route.path)} must start with / and have no query, fragment or blank`,
    )
  }
}

function checkHeaders(route: Pick<Route, 'name' | 'forwardHeaders'>): void {
  for (const name of route.forwardHeaders ?? []) {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !isForbiddenParameter(name) && !name.startsWith('proxy-')) continue
    const problem = 'is no header in lower case that may cross'
    throw new RouteError(route.name, 'BAD_HEADER', `route ${route.name}: ${JSON.stringify(name)} ${problem}`)
  }
}
