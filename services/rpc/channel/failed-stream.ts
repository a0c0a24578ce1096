import type { MessageStream } from './contract.ts'
import { Inbox } from './inbox.ts'
import type { RpcError } from './rpc-error.ts'

/** A stream that could not be opened. */
export function failedStream<Sent, Received>(error: RpcError): MessageStream<Sent, Received> {
  const received = new Inbox<Received>(1, () => {})
  received.finish(error)
  return {
    send: () => true,
    writable: () => Promise.resolve(),
    received,
    closed: Promise.resolve(error),
    end() {},
    fail() {},
  }
}
