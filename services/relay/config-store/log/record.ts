import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The log file: a header of 8 octets magic, 16 octets salt, 8 octets digest of both; then records: type, length of the
 * payload (u32), CRC-32 of these five octets, the payload, 16 octets of SHA-256 over salt, the record's offset (u64) and all
 * that went before. Salt and offset tie a record to its place: what an older file left on the disk is not one.
 */
export const HEADER_OCTETS = 32
const MAGIC = Buffer.from('CWCONF\x00\x01', 'latin1')
const SALT_OCTETS = 16
const HEAD_OCTETS = 9
const DIGEST_OCTETS = 16

export const RecordType = { delta: 1, verdict: 2, contact: 3 } as const
export type RecordType = (typeof RecordType)[keyof typeof RecordType]

export interface LogRecord {
  readonly type: RecordType
  readonly payload: Uint8Array
}

/** What the digests of a file are made with. */
export type Salt = Buffer

export function newHeader(): Buffer {
  const start = Buffer.concat([MAGIC, randomBytes(SALT_OCTETS)])
  return Buffer.concat([start, digestOf(start, HEADER_OCTETS - start.length)])
}

/** Undefined: not the header of such a file. */
export function readHeader(octets: Buffer): Salt | undefined {
  const start = octets.subarray(0, MAGIC.length + SALT_OCTETS)
  if (octets.length < HEADER_OCTETS || !start.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const digest = octets.subarray(start.length, HEADER_OCTETS)
  return digest.equals(digestOf(start, digest.length)) ? start.subarray(MAGIC.length) : undefined
}

export function encodeRecord({ type, payload }: LogRecord, salt: Salt, offset: number): Buffer {
  const head = Buffer.alloc(HEAD_OCTETS)
  head.writeUInt8(type, 0)
  head.writeUInt32BE(payload.length, 1)
  head.writeUInt32BE(crc32(head.subarray(0, 5)), 5)
  return Buffer.concat([head, payload, recordDigest(salt, offset, head, payload)])
}

export type Decoded =
  | { readonly kind: 'record'; readonly record: LogRecord; readonly end: number }
  /** The file ends within the record. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'wrong'; readonly reason: string }

/** The record at an offset of a file. */
export function decodeRecord(file: Buffer, salt: Salt, offset: number): Decoded {
  if (file.length - offset < HEAD_OCTETS) return { kind: 'incomplete' }
  const head = file.subarray(offset, offset + HEAD_OCTETS)
  if (crc32(head.subarray(0, 5)) !== head.readUInt32BE(5))
    return { kind: 'wrong', reason: 'the head of a record is damaged' }
  const type = head.readUInt8(0)
  const payloadEnd = offset + HEAD_OCTETS + head.readUInt32BE(1)
  const end = payloadEnd + DIGEST_OCTETS
  if (end > file.length) return { kind: 'incomplete' }
  const payload = file.subarray(offset + HEAD_OCTETS, payloadEnd)
  if (!file.subarray(payloadEnd, end).equals(recordDigest(salt, offset, head, payload))) {
    return { kind: 'wrong', reason: 'a record does not match its digest' }
  }
  return isRecordType(type)
    ? { kind: 'record', record: { type, payload }, end }
    : { kind: 'wrong', reason: `a record has the type ${type}, which is not known` }
}

export function isRecordType(type: number | undefined): type is RecordType {
  return type === RecordType.delta || type === RecordType.verdict || type === RecordType.contact
}

function recordDigest(salt: Salt, offset: number, head: Uint8Array, payload: Uint8Array): Buffer {
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(offset))
  return createHash('sha256')
    .update(salt)
    .update(place)
    .update(head)
    .update(payload)
    .digest()
    .subarray(0, DIGEST_OCTETS)
}

function digestOf(octets: Uint8Array, length: number): Buffer {
  return createHash('sha256').update(octets).digest().subarray(0, length)
}
