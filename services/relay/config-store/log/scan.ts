import { decodeRecord, HEADER_OCTETS, isRecordType, type LogRecord, readHeader, type Salt } from './record.ts'

/** What a log file holds. */
export type Scanned =
  | {
      readonly kind: 'log'
      readonly salt: Salt
      readonly records: readonly LogRecord[]
      /** Where the last whole record ends. */
      readonly end: number
      /** Octets behind it: a write that a crash cut short. */
      readonly tornOctets: number
    }
  | { readonly kind: 'damaged'; readonly offset: number; readonly reason: string }

const SECTOR_OCTETS = 512

/**
 * Reads a log file. A write that was cut short leaves its end away, or sectors of zeros; it was never acknowledged, and is
 * cut off. Anything else that is wrong is damage: a log of which something is missing is no history, and not used.
 */
export function scan(file: Buffer): Scanned {
  const salt = readHeader(file)
  if (salt === undefined) return { kind: 'damaged', offset: 0, reason: 'the header is damaged, or the file is another' }
  const records: LogRecord[] = []
  let offset = HEADER_OCTETS
  while (offset < file.length) {
    const decoded = decodeRecord(file, salt, offset)
    if (decoded.kind === 'record') {
      records.push(decoded.record)
      offset = decoded.end
    } else if (decoded.kind === 'incomplete' || isTorn(file, salt, offset)) {
      return { kind: 'log', salt, records, end: offset, tornOctets: file.length - offset }
    } else {
      return { kind: 'damaged', offset, reason: decoded.reason }
    }
  }
  return { kind: 'log', salt, records, end: offset, tornOctets: 0 }
}

/** One write is in flight at most, so that nothing whole stands behind one that was cut short. */
function isTorn(file: Buffer, salt: Salt, offset: number): boolean {
  if (!hasZeroSector(file, offset)) return false
  for (let later = offset + 1; later < file.length; later++) {
    // Most octets cannot begin one: a start does not wait for a digest of each.
    if (isRecordType(file[later]) && decodeRecord(file, salt, later).kind === 'record') return false
  }
  return true
}

function hasZeroSector(file: Buffer, from: number): boolean {
  for (let start = from; start < file.length; ) {
    const end = Math.min(file.length, (Math.floor(start / SECTOR_OCTETS) + 1) * SECTOR_OCTETS)
    if (file.subarray(start, end).every((octet) => octet === 0)) return true
    start = end
  }
  return false
}
