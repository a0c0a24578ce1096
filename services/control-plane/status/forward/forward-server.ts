import { create } from '@bufbuild/protobuf'
import { ForwardStatusResponseSchema, RpcError, type ServedStatusStream } from '@causeway/rpc'
import { type InstanceName, type InstanceSink, instanceKey } from '../instance.ts'
import { changeOf, instanceOf } from './report.ts'

/**
 * Takes what another replica says of its instances. `sink`: where it goes while this process leads; undefined otherwise,
 * and the replica has to find the leader. Resolves when the stream is over: its instances are silent from then on.
 */
export async function serveForwarded(stream: ServedStatusStream, sink: () => InstanceSink | undefined): Promise<void> {
  /** Of each instance the last process. */
  const told = new Map<string, InstanceName>()
  let taken = 0n
  try {
    for await (const { instances, gone } of stream.received) {
      const current = sink()
      if (current === undefined) throw new RpcError('FAILED_PRECONDITION', 'this replica does not lead')
      // First who has gone: whoever comes in its place may have an older name, on a clock that was set back.
      for (const id of gone) {
        const instance = instanceOf(id)
        const key = instanceKey(instance)
        if (told.get(key)?.bootId === instance.bootId) told.delete(key)
        current.gone(instance, stream)
      }
      for (const report of instances) {
        if (report.id === undefined) throw new RpcError('INVALID_ARGUMENT', 'a report without an instance')
        const instance = instanceOf(report.id)
        told.set(instanceKey(instance), instance)
        current.changed(instance, changeOf(report), stream)
      }
      taken++
      stream.send(create(ForwardStatusResponseSchema, { taken }))
    }
    stream.end()
  } finally {
    for (const instance of told.values()) sink()?.gone(instance, stream)
  }
}
