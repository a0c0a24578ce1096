/** How a process was over, by what the operating system says. */
export type ProcessEnd =
  /** `error`: its code, such as ENOENT, or `UNKNOWN`. */
  | { readonly how: 'notStarted'; readonly error: string; readonly folderMissing: boolean }
  | { readonly how: 'exit'; readonly exitCode: number }
  | { readonly how: 'signal'; readonly signal: NodeJS.Signals }
  /** It closed its standard output, so that no answer can come any more. */
  | { readonly how: 'closedOutput' }

/** For messages and logs: nothing in it is the server's own words. */
export function describeEnd(end: ProcessEnd): string {
  switch (end.how) {
    case 'notStarted':
      return `could not be started (${end.error})`
    case 'exit':
      return `exited with code ${end.exitCode}`
    case 'signal':
      return `was ended by ${end.signal}`
    case 'closedOutput':
      return 'closed its standard output'
  }
}
