/** The rule of names in a path, for a person. */
export const SEGMENT_RULE = 'letters, digits, "-", ".", "_" and "~"'

/**
 * The name of a server as one segment of a path: every run of other signs becomes one `-`. Undefined when nothing is left
 * that could be one, or when it is longer than 200 characters.
 */
export function segmentOf(name: string): string | undefined {
  const segment = name.replace(/[^-._~A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  return segment === '' || segment === '.' || segment === '..' || segment.length > 200 ? undefined : segment
}
