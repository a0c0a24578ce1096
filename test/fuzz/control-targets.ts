import { toBinary } from '@bufbuild/protobuf'
import { DeltaSchema, decodeBody, encodeBody, RESOURCE_KINDS, type ResourceKindName, RpcError } from '@causeway/rpc'
import { checkDelta, isProblem } from '../../services/relay/config-store/check-delta.ts'
import { HeldSet } from '../../services/relay/config-store/held-set.ts'
import {
  encodeRecord,
  HEADER_OCTETS,
  newHeader,
  RecordType,
  readHeader,
} from '../../services/relay/config-store/log/record.ts'
import { scan } from '../../services/relay/config-store/log/scan.ts'
import { decodeMessage } from '../../services/rpc/messages/codec.ts'
import { backend, delta, positions, relaySettings, route } from '../fixtures/control/deltas.ts'
import { FuzzFault, mustEqual, type Target } from './target.ts'

const SAMPLE = delta({
  upserts: [route('default/a', '/a'), backend('default/b', 'b'), relaySettings('default/edge', 60_000n)],
  positions: positions(7n),
})
const KINDS = Object.keys(RESOURCE_KINDS) as ResourceKindName[]

/** What a control plane sends, and what a volume holds. */
export const CONTROL_TARGETS: readonly Target[] = [
  {
    name: 'change of configuration',
    samples: [toBinary(DeltaSchema, SAMPLE)],
    expects: RpcError,
    run(octets) {
      const held = new HeldSet()
      const checked = checkDelta(decodeMessage(DeltaSchema, octets), held)
      if (isProblem(checked)) return
      held.apply(checked)
      if (held.size !== checked.upserts.length) throw new FuzzFault('a resource of a change is not held')
    },
  },
  {
    name: 'resource',
    samples: SAMPLE.upserts.map(({ body }) => body),
    run(octets) {
      for (const kind of KINDS) {
        const decoded = decodeBody(kind, octets)
        if (typeof decoded === 'string') continue
        const encoded = encodeBody(decoded.kind, decoded.message)
        const again = decodeBody(kind, encoded)
        if (typeof again === 'string') throw new FuzzFault(`what was decoded is ${again} when it is encoded again`)
        mustEqual(encodeBody(again.kind, again.message), encoded, 'two encodings')
      }
    },
  },
  {
    name: 'log of configuration',
    samples: [logOf([toBinary(DeltaSchema, SAMPLE), new Uint8Array(3)])],
    run(octets) {
      const file = Buffer.from(octets)
      const scanned = scan(file)
      if (scanned.kind === 'damaged') {
        if (scanned.offset > file.length) throw new FuzzFault('damage behind the end of the file')
        return
      }
      let offset = HEADER_OCTETS
      for (const record of scanned.records) {
        const encoded = encodeRecord(record, scanned.salt, offset)
        mustEqual(encoded, file.subarray(offset, offset + encoded.length), 'a record and its place')
        offset += encoded.length
      }
      if (offset !== scanned.end || offset + scanned.tornOctets !== file.length) throw new FuzzFault('octets are lost')
    },
  },
]

function logOf(payloads: readonly Uint8Array[]): Uint8Array {
  let file = newHeader()
  const salt = readHeader(file)
  if (salt === undefined) throw new TypeError('a header is one')
  for (const payload of payloads) {
    file = Buffer.concat([file, encodeRecord({ type: RecordType.delta, payload }, salt, file.length)])
  }
  return file
}
