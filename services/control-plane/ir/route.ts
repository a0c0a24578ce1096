/** What a relay offers under one path. */
export interface RouteIr {
  readonly kind: 'route'
  readonly path: string
  readonly target: RouteTargetIr
  readonly trustAnnotations: boolean
  readonly forwardHeaders: readonly string[]
  readonly cors: { readonly allowedOrigins: readonly string[]; readonly maxAgeSeconds: number } | undefined
  readonly requestTimeoutMs: number | undefined
  readonly maxBodyOctets: number | undefined
  readonly sessions: number | undefined
}

export type RouteTargetIr =
  /** `namespace/name` of a backend. */
  | { readonly backend: string }
  /** `namespace/name` of a peer, and the target's name there. */
  | { readonly peer: string; readonly target: string | undefined }
