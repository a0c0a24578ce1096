/**
 * How the entries of a list are told apart when several people apply parts of it (server-side apply). Part of a list's
 * schema: the API server refuses two equal entries of a set or a map by itself, at no cost in CEL.
 */
export const SET = { 'x-kubernetes-list-type': 'set' } as const

export const MAP_BY_NAME = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } as const

/**
 * Order matters, entries may be equal, or they are objects without a field that tells them apart and is always there, such
 * as references: whoever applies the list owns all of it.
 */
export const ATOMIC = { 'x-kubernetes-list-type': 'atomic' } as const

/** For an object that is one value: whoever applies it owns all of it. */
export const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' } as const
