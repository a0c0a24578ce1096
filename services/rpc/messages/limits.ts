/**
 * Largest message of a stream, in octets. A first Delta has everything: 10,000 resources of a few hundred octets each are
 * some megabytes.
 */
export const MAX_MESSAGE_OCTETS = 64 * 1024 * 1024

/** Largest message that a server takes: a Hello with 10,000 names and versions is less than two megabytes. */
export const MAX_REQUEST_OCTETS = 16 * 1024 * 1024

/** Most resources of one relay: it takes no more, and says in no Hello that it has more. */
export const MAX_RESOURCES = 50_000

/** Largest body of one resource: a relay takes no larger one, and nothing of a Delta that has one. */
export const MAX_BODY_OCTETS = 1024 * 1024
