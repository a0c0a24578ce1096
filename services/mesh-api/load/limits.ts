/** What a configuration file may be. Each is checked before anything of that size is built. */
export const FILE_LIMITS = {
  octets: 4 * 1024 * 1024,
  documents: 10_000,
  /** Nesting of maps and lists; the kinds need 7. */
  depth: 32,
  /** Maps, lists and values of one document. */
  nodes: 20_000,
  /** Words, signs, blanks and ends of line of one document, as YAML counts them. */
  tokens: 200_000,
  /** What is reported at once; the rest is counted. */
  problems: 1_000,
} as const
