import type { CallTarget } from '../exchanges/contract.ts'

/** One transparent MeshRoute of this relay, ready to serve: nothing in it changes while the table is in force. */
export interface Route {
  /** `namespace/name`, for logs and for the scope of sessions. */
  readonly name: string
  /** Starts with `/`; compared octet for octet with the path of the request, its query left out. */
  readonly path: string
  readonly target: CallTarget
  readonly limits: RouteLimits
  /** Whether what the target says of its tools may lower a label (CARRIAGE section 11); true when absent. */
  readonly trustAnnotations?: boolean
  /** Request headers that cross besides those of MCP, in lower case; never credentials, never those of one connection. */
  readonly forwardHeaders?: readonly string[]
  readonly cors?: RouteCors | undefined
}

/** Which pages in browsers a route serves besides those that its listener does. */
export interface RouteCors {
  /** Whole origins, `https://app.example`. */
  readonly allowedOrigins: readonly string[]
  /** How long a browser may remember the answer to a preflight. */
  readonly maxAgeSeconds: number
}

export interface RouteLimits {
  /** CARRIAGE section 4; no deadline when absent. */
  readonly requestTimeoutMs?: number
  /** The smaller of this and the listener's is in force. */
  readonly maxBodyOctets?: number
  /** Legacy sessions; the smaller of this and the listener's is in force. */
  readonly sessions?: number
}
