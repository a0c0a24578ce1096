import { describe, expect, it } from 'vitest'
import { encodeRecord, HEADER_OCTETS, newHeader, RecordType, readHeader } from './record.ts'
import { scan } from './scan.ts'

const header = newHeader()
const salt = readHeader(header) ?? Buffer.alloc(0)

function logOf(...payloads: readonly string[]) {
  let file = header
  const ends = [file.length]
  for (const payload of payloads) {
    file = Buffer.concat([
      file,
      encodeRecord({ type: RecordType.delta, payload: Buffer.from(payload) }, salt, file.length),
    ])
    ends.push(file.length)
  }
  return { file, ends }
}

const texts = (file: Buffer) => {
  const scanned = scan(file)
  return scanned.kind === 'log' ? scanned.records.map(({ payload }) => Buffer.from(payload).toString()) : scanned.reason
}

describe('a log file', () => {
  const { file, ends } = logOf('first', 'second'.repeat(200), 'third')

  it('gives its records in order', () => {
    expect(texts(file)).toEqual(['first', 'second'.repeat(200), 'third'])
  })

  it('that is cut at any octet gives every record that is whole, and says how much was cut off', () => {
    for (let length = HEADER_OCTETS; length <= file.length; length++) {
      const whole = ends.filter((end) => end <= length).length - 1
      const end = ends[whole] ?? 0
      expect(scan(file.subarray(0, length))).toMatchObject({ kind: 'log', end, tornOctets: length - end })
      expect(texts(file.subarray(0, length))).toHaveLength(whole)
    }
  })

  it('whose last write left zeros from any octet on gives every record before it', () => {
    const start = ends[1] ?? 0
    const { file: two } = logOf('first', 'second'.repeat(200))
    for (let written = start; written < two.length - 512; written += 7) {
      const torn = Buffer.concat([two.subarray(0, written), Buffer.alloc(two.length - written)])
      expect(texts(torn)).toEqual(['first'])
    }
  })

  it('with any octet changed is damaged, and says where', () => {
    for (let at = 0; at < file.length; at++) {
      const changed = Buffer.from(file)
      changed.writeUInt8(changed.readUInt8(at) ^ 0x01, at)
      const offset = at < HEADER_OCTETS ? 0 : ends.filter((end) => end <= at).at(-1)
      expect(scan(changed), `octet ${at}`).toMatchObject({ kind: 'damaged', offset })
    }
  })

  it('with a sector of zeros before whole records is damaged, and not cut', () => {
    const changed = Buffer.from(file).fill(0, 512, 1024)
    expect(scan(changed)).toMatchObject({ kind: 'damaged', offset: ends[1] })
  })

  it.each([
    ['a record left out', () => Buffer.concat([file.subarray(0, ends[0]), file.subarray(ends[1])])],
    ['a record twice', () => Buffer.concat([file.subarray(0, ends[1]), file.subarray(ends[0])])],
    [
      'a record of another file',
      () => Buffer.concat([file, encodeRecord({ type: 1, payload: Buffer.from('x') }, Buffer.alloc(16), file.length)]),
    ],
    [
      'a type that is not known',
      () => Buffer.concat([file, encodeRecord({ type: 9 as 1, payload: Buffer.from('x') }, salt, file.length)]),
    ],
    ['an end within its header', () => file.subarray(0, HEADER_OCTETS - 1)],
    ['nothing in it', () => Buffer.alloc(0)],
    ['something else in it', () => Buffer.from('kind: MeshRelay\n'.repeat(10))],
  ])('with %s is damaged', (_what, damaged) => {
    expect(scan(damaged()).kind).toBe('damaged')
  })
})
