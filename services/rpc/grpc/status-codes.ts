import { status } from '@grpc/grpc-js'
import { type RpcCode, RpcError } from '../channel/rpc-error.ts'

/** Undefined: OK. A number that gRPC does not have is UNKNOWN, as its specification asks. */
export function endOf(code: number, details: string): RpcError | undefined {
  if (code === status.OK) return undefined
  return new RpcError(CODES.get(code) ?? 'UNKNOWN', details)
}

export function statusOf(code: RpcCode): status {
  return status[code]
}

const CODES: ReadonlyMap<number, RpcCode> = new Map(
  (
    [
      'CANCELLED',
      'UNKNOWN',
      'INVALID_ARGUMENT',
      'DEADLINE_EXCEEDED',
      'NOT_FOUND',
      'ALREADY_EXISTS',
      'PERMISSION_DENIED',
      'RESOURCE_EXHAUSTED',
      'FAILED_PRECONDITION',
      'ABORTED',
      'OUT_OF_RANGE',
      'UNIMPLEMENTED',
      'INTERNAL',
      'UNAVAILABLE',
      'DATA_LOSS',
      'UNAUTHENTICATED',
    ] as const
  ).map((code) => [status[code], code]),
)
