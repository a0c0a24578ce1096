/** The codes of gRPC that streams end with. */
export type RpcCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED'

/** Why a stream ended other than in order. */
export class RpcError extends Error {
  readonly code: RpcCode

  constructor(code: RpcCode, message: string) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
}
