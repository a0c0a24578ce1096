import type { DescMessage } from '@bufbuild/protobuf'
import { RpcError } from '../channel/rpc-error.ts'
import type { GrpcStream } from './grpc-stream.ts'

/** Beyond it Node's timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** CONTROL section 2: a stream ends at its certificate's end. */
export function endWithCertificate(stream: GrpcStream<DescMessage, DescMessage>, endsAtMs: number | undefined): void {
  if (endsAtMs === undefined) return
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    const leftMs = endsAtMs - Date.now()
    if (leftMs <= 0) stream.fail(new RpcError('UNAUTHENTICATED', 'the certificate has ended'))
    else timer = setTimeout(wait, Math.min(leftMs, MAX_TIMER_MS)).unref()
  }
  wait()
  void stream.closed.then(() => clearTimeout(timer))
}
