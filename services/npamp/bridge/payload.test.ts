import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { corpus } from '../../../test/fixtures/npamp/vectors.ts'
import { concatOctets } from '../wire/octets.ts'
import { type BridgeEnvelope, type BridgePayload, MESSAGE_KIND, type SafetyLabel } from './contract.ts'
import { correlates } from './correlation-ids.ts'
import { FRAME_TYPE_OF, isFinal, type MessageKind } from './envelope.ts'
import { ANNOUNCED_TLV_TYPES } from './extensions/announced.ts'
import { decodePayload, encodePayload, type KnownTlvs, type PayloadParts, readableEnvelope } from './payload.ts'

const REQUEST = FRAME_TYPE_OF[MESSAGE_KIND.REQUEST]
const NOTIFY = FRAME_TYPE_OF[MESSAGE_KIND.NOTIFY]
const KNOWN: KnownTlvs = new Set(ANNOUNCED_TLV_TYPES)
const utf8 = (text: string) => new TextEncoder().encode(text)

function encode(parts: Partial<PayloadParts>, known?: KnownTlvs): Uint8Array {
  const envelope = envelopeOf(MESSAGE_KIND.REQUEST)
  const whole = { envelope, label: undefined, extensions: new Map(), foreign: utf8('{}'), ...parts }
  return concatOctets(encodePayload(whole, known))
}

function envelopeOf(kind: MessageKind): BridgeEnvelope {
  const correlationId = kind === MESSAGE_KIND.NOTIFY ? new Uint8Array(0) : utf8('7')
  return { protocolId: 1, kind, contentType: 1, flags: 0, correlationId, method: 'tools/list' }
}

describe('a Bridge payload', () => {
  const foreign = utf8('{"jsonrpc":"2.0","id":7,"method":"tools/list"}')
  const selfCheck =
    '0010001101010100013700'.slice(0, 20) +
    '0a746f6f6c732f6c697374' +
    '001300020000' +
    '7b226a736f6e727063223a22322e30222c226964223a372c226d6574686f64223a22746f6f6c732f6c697374227d'

  it(`${requirement('BRG-005', 'BRG-006', 'BRG-024')} has the octets of the self-check (tools/list, id 7, read_only)`, () => {
    const payload = encode({ label: { effect: 0, scope: '' }, foreign })
    expect(payload.length).toBe(73)
    expect(hex(payload)).toBe(selfCheck)
    expect(decodePayload(payload, REQUEST)).toEqual({
      envelope: envelopeOf(MESSAGE_KIND.REQUEST),
      label: { effect: 0, scope: '' },
      extensions: new Map(),
      foreign,
    })
  })

  it(`${requirement('BRG-001')} hands the foreign octets on without copying them`, () => {
    const [, sent] = encodePayload({ envelope: envelopeOf(1), label: undefined, extensions: new Map(), foreign })
    expect(sent).toBe(foreign)
    const payload = encode({ foreign })
    const received = decodePayload(payload, REQUEST).foreign
    expect(received.buffer).toBe(payload.buffer)
    expect(received).toEqual(foreign)
  })

  it('decodes what was encoded, for any fields', () => {
    fc.assert(
      fc.property(anyParts(), ({ parts, known }) => {
        const frameType = FRAME_TYPE_OF[parts.envelope.kind as MessageKind]
        const decoded = decodePayload(concatOctets(encodePayload(parts, known)), frameType, known)
        const sent = new Map([...parts.extensions].filter(([, value]) => value.length > 0))
        expect({ ...decoded, extensions: new Map(decoded.extensions) }).toEqual({ ...parts, extensions: sent })
      }),
    )
  })

  it(`${requirement('BRG-008')} refuses every truncation before the foreign octets, and nothing after them`, () => {
    const extensions = new Map([[0x4355, utf8('abc')]])
    const payload = encode({ label: { effect: 2, scope: 'fs' }, extensions, foreign: new Uint8Array(0) }, KNOWN)
    for (let end = 0; end < payload.length; end++) {
      const outcome = failure(() => decodePayload(payload.subarray(0, end), REQUEST, KNOWN))
      const fewerThanATlvHead = [21, 22, 23, 24, 29, 30, 31, 32].includes(end)
      expect([end, outcome]).toEqual([end, fewerThanATlvHead ? 'none' : 'malformed/ENVELOPE'])
    }
  })

  it('never throws anything but a typed error, whatever the octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: 0x110 }), (tail, frameType) => {
        const starts = [tail, concatOctets([octets('0010'), tail]), concatOctets([encode({}), tail])]
        for (const start of starts)
          expect(['none', 'malformed/ENVELOPE', 'malformed/SAFETY_LABEL']).toContain(
            failure(() => decodePayload(start, frameType, KNOWN)),
          )
        for (const start of starts) readableEnvelope(start)
      }),
    )
  })
})

describe('BridgeEnvelope', () => {
  it.each([
    ['REQUEST', 0x0100, 1],
    ['RESPONSE', 0x0101, 2],
    ['ERROR', 0x0102, 4],
    ['NOTIFY', 0x0103, 3],
    ['STREAM_DATA', 0x0104, 5],
    ['STREAM_END', 0x0105, 6],
  ] as const)(`${requirement('BRG-007')} of %s, type 0x%d, has kind %d and no other`, (name, frameType, kind) => {
    expect(MESSAGE_KIND[name]).toBe(kind)
    expect(FRAME_TYPE_OF[kind]).toBe(frameType)
    const payload = encode({ envelope: envelopeOf(kind) })
    expect(decodePayload(payload, frameType).envelope.kind).toBe(kind)
    for (let other = 0x0100; other <= 0x0105; other++)
      if (other !== frameType) expect(failure(() => decodePayload(payload, other))).toBe('malformed/ENVELOPE')
  })

  it(`${requirement('BRG-008')} must be the first TLV, whole, and all of it`, () => {
    for (const payload of [
      '',
      '0010',
      '00130007010101000137 00',
      '00110007010101000137 00',
      '0010000801010100013700ff',
    ])
      expect(failure(() => decodePayload(octets(payload), REQUEST))).toBe('malformed/ENVELOPE')
  })

  it(`${requirement('BRG-012')} of a request or reply needs a correlation_id`, () => {
    expect(failure(() => decodePayload(octets('0010000601010100 0000'), REQUEST))).toBe('malformed/ENVELOPE')
    const envelope = { ...envelopeOf(MESSAGE_KIND.REQUEST), correlationId: new Uint8Array(0) }
    expect(failure(() => encode({ envelope }))).toBe('misuse/ARGUMENT')
  })

  it(`${requirement('BRG-015')} of a notification has none`, () => {
    expect(failure(() => decodePayload(octets('0010000701030100 013700'), NOTIFY))).toBe('malformed/ENVELOPE')
    const envelope = { ...envelopeOf(MESSAGE_KIND.NOTIFY), correlationId: utf8('7') }
    expect(failure(() => encode({ envelope }))).toBe('misuse/ARGUMENT')
  })

  it(`${requirement('BRG-009')} may have any reserved flag bit; only bit 0 means something`, () => {
    const payload = encode({})
    payload[7] = 0xfe
    const { envelope } = decodePayload(payload, REQUEST)
    expect(isFinal(envelope)).toBe(false)
    expect(isFinal({ ...envelope, flags: 0xff })).toBe(true)
  })

  it('needs a method in UTF-8 of at most 255 octets', () => {
    expect(failure(() => decodePayload(octets('0010000801010100 0137 01ff'), REQUEST))).toBe('malformed/ENVELOPE')
    const long = { ...envelopeOf(MESSAGE_KIND.REQUEST), method: 'é'.repeat(128) }
    expect(failure(() => encode({ envelope: long }))).toBe('misuse/ARGUMENT')
  })

  it.each([
    ['a short kind', '0010 0009 01 09 01 00 01 37 00 7b7d', undefined],
    ['a cut method', '0010 0008 01 01 01 00 01 37 05 61', '37'],
    ['a wrong kind', '0010 0007 01 02 01 00 01 37 00 7b7d', '37'],
    ['an empty id', '0010 0006 01 01 01 00 00 00', undefined],
    ['an id that is cut', '0010 0006 01 01 01 00 05 37', undefined],
    ['another first TLV', '0013 0007 01 01 01 00 01 37 00', undefined],
  ])('is read as far as an answer needs where it has %s', (what, payload, id) => {
    const readable = readableEnvelope(octets(payload))
    if (what === 'a short kind') expect(readable && hex(readable.correlationId)).toBe('37')
    else expect(readable && hex(readable.correlationId)).toBe(id)
  })
})

describe('TLVs after the envelope', () => {
  const ROUTE = octets('a1006161')
  const label: SafetyLabel = { effect: 3, scope: '' }
  const json = utf8('{"a":1}')

  it('leave in ascending order of their types, each once', () => {
    const extensions = new Map([
      [0x4356, octets('0001')],
      [0x4355, ROUTE],
      [0x4352, octets('a0')],
    ])
    const payload = hex(encode({ label, extensions, foreign: json }, KNOWN))
    expect(payload.endsWith(`001300020300${'43520001a0'}${'43550004a1006161'}${'435600020001'}${hex(json)}`)).toBe(true)
  })

  it('are read in any order', () => {
    const head = hex(encode({ foreign: new Uint8Array(0) }))
    const payload = octets(`${head}43550004a1006161${'001300020300'}${'43520001a0'}${hex(json)}`)
    const decoded = decodePayload(payload, REQUEST, KNOWN)
    expect([...decoded.extensions.keys()]).toEqual([0x4355, 0x4352])
    expect(decoded.label).toEqual(label)
    expect(decoded.foreign).toEqual(json)
  })

  it('are foreign octets where our HELLO did not list them', () => {
    const payload = encode({ extensions: new Map([[0x4355, ROUTE]]), foreign: json })
    expect(hex(decodePayload(payload, REQUEST).foreign)).toBe(`43550004a1006161${hex(json)}`)
    expect(decodePayload(payload, REQUEST).extensions.size).toBe(0)
  })

  it('are foreign octets where the same type was seen already', () => {
    const head = hex(encode({ label, foreign: new Uint8Array(0) }))
    const decoded = decodePayload(octets(`${head}001300020000`), REQUEST, KNOWN)
    expect(decoded.label).toEqual(label)
    expect(hex(decoded.foreign)).toBe('001300020000')
  })

  it('are absent when they are empty', () => {
    const payload = encode({ extensions: new Map([[0x4355, new Uint8Array(0)]]), foreign: json }, KNOWN)
    const decoded = decodePayload(payload, REQUEST, KNOWN)
    expect(decoded.extensions.size).toBe(0)
    expect(decoded.foreign).toEqual(json)
  })

  it('are malformed where a known one runs past the end', () => {
    const head = hex(encode({ foreign: new Uint8Array(0) }))
    expect(failure(() => decodePayload(octets(`${head}435500ffa1`), REQUEST, KNOWN))).toBe('malformed/ENVELOPE')
    expect(failure(() => decodePayload(octets(`${head}00130001 00`), REQUEST, KNOWN))).toBe('malformed/SAFETY_LABEL')
  })

  it('cannot be mistaken for foreign octets that begin like one: an empty one of that type goes before them', () => {
    for (const type of KNOWN) {
      const foreign = concatOctets([Uint8Array.of(type >>> 8, type), octets('0001ff7b')])
      const payload = encode({ foreign }, KNOWN)
      expect(decodePayload(payload, REQUEST, KNOWN).foreign).toEqual(foreign)
      expect(payload.length).toBe(encode({ foreign }).length + 4)
    }
  })

  it('are refused locally where only the caller can tell them from foreign octets', () => {
    const foreign = octets('00130002 0000')
    expect(failure(() => encode({ foreign }))).toBe('misuse/ARGUMENT')
    expect(decodePayload(encode({ foreign, label }), REQUEST).foreign).toEqual(foreign)
    expect(failure(() => encode({ foreign: octets('0011000b00') }, new Set([0x0011])))).toBe('misuse/ARGUMENT')
    expect(failure(() => encode({ foreign: octets('001300') }))).toBe('none')
  })
})

interface CorpusFields {
  readonly protocol_id: number
  readonly message_kind: number
  readonly content_type: number
  readonly flags: number
  readonly corr: string
  readonly method: string
  readonly safety: SafetyLabel | null
  readonly foreign: string
}

describe(`${requirement('BRG-028')} the conformance corpus`, () => {
  type DecodeIn = { frameType: number; payload: string }
  type DecodeOut = CorpusFields & { final: boolean }
  it.each(corpus<DecodeIn, DecodeOut>('bridge.envelope.decode'))('decode $tcId: $comment', (test) => {
    const decode = () => decodePayload(octets(test.in.payload), test.in.frameType)
    if (test.result === 'invalid') expect(failure(decode)).toBe('malformed/ENVELOPE')
    else {
      const payload = decode()
      expect({ ...fieldsOf(payload), final: isFinal(payload.envelope) }).toEqual(test.expected)
    }
  })

  type EncodeIn = { fields: CorpusFields }
  it.each(corpus<EncodeIn, { payload: string }>('bridge.envelope.encode'))('encode $tcId: $comment', (test) => {
    const { fields } = test.in
    const payload = encode({
      envelope: {
        protocolId: fields.protocol_id,
        kind: fields.message_kind,
        contentType: fields.content_type,
        flags: fields.flags,
        correlationId: octets(fields.corr),
        method: fields.method,
      },
      label: fields.safety ?? undefined,
      foreign: octets(fields.foreign),
    })
    expect(hex(payload)).toBe(test.expected?.payload)
  })

  type CorrelateIn = {
    requestFrameType: number
    requestPayload: string
    replyFrameType: number
    replyPayload: string
  }
  it.each(corpus<CorrelateIn, { match: boolean }>('bridge.correlate'))(
    `${requirement('BRG-013', 'BRG-014')} correlate $tcId: $comment`,
    (test) => {
      const request = decodePayload(octets(test.in.requestPayload), test.in.requestFrameType)
      const reply = decodePayload(octets(test.in.replyPayload), test.in.replyFrameType)
      expect(correlates(request, reply)).toBe(test.expected?.match)
    },
  )
})

function fieldsOf({ envelope, label, foreign }: BridgePayload): CorpusFields {
  return {
    protocol_id: envelope.protocolId,
    message_kind: envelope.kind,
    content_type: envelope.contentType,
    flags: envelope.flags,
    corr: hex(envelope.correlationId),
    method: envelope.method,
    safety: label ?? null,
    foreign: hex(foreign),
  }
}

function anyParts(): fc.Arbitrary<{ parts: PayloadParts; known: KnownTlvs }> {
  const octet = fc.integer({ min: 0, max: 255 })
  const types = fc.uniqueArray(fc.integer({ min: 0x4351, max: 0x4359 }), { maxLength: 9 })
  const confusing = fc
    .tuple(fc.constantFrom(0x4351, 0x4353, 0x4355, 0x4359), fc.uint8Array({ maxLength: 6 }))
    .map(([type, rest]) => concatOctets([Uint8Array.of(type >>> 8, type), rest]))
  return fc
    .record({
      kind: fc.constantFrom(...Object.values(MESSAGE_KIND)),
      protocolId: octet,
      contentType: octet,
      flags: octet,
      id: fc.uint8Array({ minLength: 1, maxLength: 255 }),
      method: fc.string({ unit: 'binary', maxLength: 60 }),
      label: fc.option(fc.record({ effect: fc.integer({ min: 0, max: 3 }), scope: fc.string({ maxLength: 80 }) }), {
        nil: undefined,
      }),
      types,
      emitted: fc.array(fc.tuple(fc.nat(8), fc.uint8Array({ maxLength: 20 }))),
      foreign: fc.oneof(
        fc.json().map(utf8),
        confusing,
        fc.uint8Array({ minLength: 1 }).filter((all) => all[0] !== 0),
      ),
    })
    .map(({ kind, id, label, types: known, emitted, foreign, ...rest }) => {
      const correlationId = kind === MESSAGE_KIND.NOTIFY ? new Uint8Array(0) : id
      const extensions = new Map<number, Uint8Array>()
      for (const [index, value] of emitted) {
        const type = known[index]
        if (type !== undefined) extensions.set(type, value)
      }
      const { protocolId, contentType, flags, method } = rest
      const envelope = { protocolId, kind, contentType, flags, correlationId, method }
      return { parts: { envelope, label, extensions, foreign }, known: new Set(known) }
    })
}
