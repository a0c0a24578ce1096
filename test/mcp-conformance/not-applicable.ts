/** Checks that pass directly and that the suite itself finds nothing to judge by through the mesh, each with the reason. */
export const NOT_APPLICABLE: readonly { readonly check: string; readonly reason: string }[] = [
  {
    check: 'server 2025-11-25 server-sse-polling server-sse-disconnect-resume',
    reason:
      'A server that closes its stream before it answers meets the relay beside it, which comes back for the answer. The ' +
      'client’s own stream stays open, so there is nothing for it to resume.',
  },
]

export const isNotApplicable = (check: string): boolean => NOT_APPLICABLE.some((one) => one.check === check)
