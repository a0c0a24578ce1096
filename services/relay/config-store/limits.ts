/** Bounds of what one relay holds, far beyond what one serves: a control plane that goes wrong ends at them. */
/** Of all bodies, and of those that are kept beside them because they were in force last. */
export const MAX_TOTAL_OCTETS = 128 * 1024 * 1024
/** A log is compacted long before; what is larger is not ours. */
export const MAX_LOG_OCTETS = 1024 * 1024 * 1024
/** What is appended to a log at least before it is compacted. */
export const COMPACT_AFTER_OCTETS = 1024 * 1024
