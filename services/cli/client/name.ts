/** What clients take as the name of a server. */
export function isClientName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name)
}

/** The name that a server's segment of a path has in a client: every run of other signs becomes one `-`. */
export function clientNameOf(segment: string): string {
  const name = segment.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '')
  return name.slice(0, 64) || 'server'
}
