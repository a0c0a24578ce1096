export interface LeaderIdentity {
  /** `host:port` at which the others forward status to this process. */
  readonly address: string
  /** Unique to the process: a new one in the same pod is another candidate. */
  readonly bootId: string
}

/** How a process calls itself in the Lease: the others read from it where the leader is. */
export function leaderIdentity({ address, bootId }: LeaderIdentity): string {
  return `${address}/${bootId}`
}

/** Where the holder of the Lease takes forwarded status; undefined for a holder that is none of us. */
export function leaderAddress(identity: string): string | undefined {
  const slash = identity.lastIndexOf('/')
  return slash > 0 ? identity.slice(0, slash) : undefined
}
