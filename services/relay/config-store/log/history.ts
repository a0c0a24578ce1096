import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { type Delta, DeltaReplySchema, DeltaSchema, type KindPosition, type Resource } from '@causeway/rpc'
import type { CheckedDelta, HeldSet, SourcePosition, StoredResource } from '../held-set.ts'
import { keyOf } from '../held-set.ts'
import { type LogRecord, RecordType } from './record.ts'

/** Of one record of a compacted log, more or less. */
const CHUNK_OCTETS = 4 * 1024 * 1024

/** A Delta as it was taken. */
export function deltaRecord(delta: Delta): LogRecord {
  return { type: RecordType.delta, payload: toBinary(DeltaSchema, delta) }
}

/** Everything that was sent is in force now, but for these. */
export function verdictRecord(refused: readonly Pick<StoredResource, 'kind' | 'name'>[]): LogRecord {
  const refusals = refused.map(({ kind, name }) => ({ kind, name }))
  return { type: RecordType.verdict, payload: toBinary(DeltaReplySchema, create(DeltaReplySchema, { refusals })) }
}

/** A control plane answered at this time: Unix milliseconds. */
export function contactRecord(atMs: number): LogRecord {
  const payload = Buffer.alloc(8)
  payload.writeBigUInt64BE(BigInt(atMs))
  return { type: RecordType.contact, payload }
}

/** What a log tells besides the set itself. */
export interface Replayed {
  /** Unix milliseconds; undefined: never. */
  readonly lastContactMs: number | undefined
}

/** Brings a set to where its log ends. A record was checked when it was written, and its digest when it was read. */
export function replay(records: readonly LogRecord[], held: HeldSet): Replayed {
  let lastContactMs: number | undefined
  for (const { type, payload } of records) {
    if (type === RecordType.delta) held.apply(readDelta(payload))
    else if (type === RecordType.verdict) held.settle(readVerdict(payload))
    else lastContactMs = Number(Buffer.from(payload).readBigUInt64BE())
  }
  return { lastContactMs }
}

/** The shortest log that brings an empty set to where this one is. */
export function* compacted(held: HeldSet, lastContactMs: number | undefined): Iterable<LogRecord> {
  const { inForce, unsettled } = held.split()
  yield* chunks(inForce)
  yield verdictRecord([])
  yield* chunks(unsettled)
  yield verdictRecord(unsettled)
  yield deltaRecord(create(DeltaSchema, { positions: positionsOf(held) }))
  if (lastContactMs !== undefined) yield contactRecord(lastContactMs)
}

export function positionsOf(held: HeldSet): KindPosition[] {
  return create(DeltaSchema, {
    positions: [...held.positions].map(([kind, { source, value }]) => ({
      kind,
      position: { source: Buffer.from(source, 'hex'), value },
    })),
  }).positions
}

function* chunks(resources: readonly StoredResource[]): Iterable<LogRecord> {
  let chunk: StoredResource[] = []
  let octets = 0
  for (const resource of resources) {
    chunk.push(resource)
    octets += resource.body.length
    if (octets < CHUNK_OCTETS) continue
    yield upsertRecord(chunk)
    chunk = []
    octets = 0
  }
  if (chunk.length > 0) yield upsertRecord(chunk)
}

function upsertRecord(resources: readonly StoredResource[]): LogRecord {
  const upserts = resources.map(({ kind, name, version, body }) => {
    return { kind, name, version: Buffer.from(version, 'hex'), body }
  })
  return deltaRecord(create(DeltaSchema, { upserts }))
}

function readDelta(payload: Uint8Array): CheckedDelta {
  const { upserts, removals, positions } = fromBinary(DeltaSchema, payload)
  return {
    upserts: upserts.map(stored),
    removals: removals.map(keyOf),
    positions: new Map(
      positions.map(({ kind, position }): [string, SourcePosition] => [
        kind,
        { source: hex(position?.source ?? new Uint8Array()), value: position?.value ?? 0n },
      ]),
    ),
  }
}

function readVerdict(payload: Uint8Array): ReadonlySet<string> {
  return new Set(fromBinary(DeltaReplySchema, payload).refusals.map(keyOf))
}

function stored({ kind, name, version, body }: Resource): StoredResource {
  // A copy: otherwise the smallest one keeps the whole file in memory.
  return { kind, name, version: hex(version), body: body.slice() }
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}
