import { isForbiddenParameter } from '@causeway/npamp'
import type { Route } from './route.ts'

/** All routes of one listener by path. Built once and swapped whole; a lookup is one hash, however many routes there are. */
export interface RouteTable {
  readonly size: number
  /** The route at exactly this path, or undefined. */
  find(path: string): Route | undefined
  [Symbol.iterator](): IterableIterator<Route>
}

/** Two routes of one listener that claim the same path, a path that no request can have, or a header that never crosses. */
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

/**
 * A table in which these routes stand as they are given here, or not at all where they are undefined, by `namespace/name`.
 * Throws as `buildRouteTable`.
 */
export function changedRouteTable(table: RouteTable, changes: ReadonlyMap<string, Route | undefined>): RouteTable {
  const byPath = new Map<string, Route>()
  for (const route of table) if (!changes.has(route.name)) byPath.set(route.path, route)
  return tableOf(
    byPath,
    [...changes.values()].filter((route) => route !== undefined),
  )
}

/** Throws RouteError when a path is no absolute path without query, when two routes claim the same, or when a route forwards a header that must not cross. */
export function buildRouteTable(routes: Iterable<Route>): RouteTable {
  return tableOf(new Map(), routes)
}

/** Throws RouteError for what is wrong with a route whatever others there are. */
export function checkRoute(route: Pick<Route, 'name' | 'path' | 'forwardHeaders'>): void {
  checkPath(route)
  checkHeaders(route)
}

function tableOf(byPath: Map<string, Route>, routes: Iterable<Route>): RouteTable {
  for (const route of routes) {
    checkRoute(route)
    const other = byPath.get(route.path)
    if (other !== undefined) {
      throw new RouteError(route.name, 'PATH_TAKEN', `route ${route.name}: path ${route.path} belongs to ${other.name}`)
    }
    byPath.set(route.path, route)
  }
  return {
    size: byPath.size,
    find: (path) => byPath.get(path),
    [Symbol.iterator]: () => byPath.values(),
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
