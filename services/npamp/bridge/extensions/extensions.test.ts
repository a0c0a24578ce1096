import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../../test/fixtures/npamp/hex.ts'
import { isAnnounceableTlv } from '../../codepoints/tlv-types.ts'
import { MESSAGE_KIND, type Outcome, TRANSPORT_ERROR } from '../contract.ts'
import { ANNOUNCED_TLV_TYPES, belongsOn } from './announced.ts'
import { auditHeadMessage, decodeAuditHead, encodeAuditHead } from './audit-head.ts'
import { decodeDeliveryOutcome, defaultOutcome, encodeDeliveryOutcome } from './delivery-outcome.ts'
import { encodeExtensions } from './encode.ts'
import { isForbiddenParameter, replyParameters, statusOf, withoutForbidden } from './parameter-rules.ts'
import { readExtensions } from './read.ts'
import { decodeRelatedExchange, encodeRelatedExchange } from './related-exchange.ts'
import { decodeRouteContext, encodeRouteContext } from './route-context.ts'
import { decodeServiceParameters, encodeServiceParameters } from './service-parameters.ts'
import { decodeTraceContext, encodeTraceContext } from './trace-context.ts'

/** Any octets: refused in one of the ways that mean EnvelopeMalformed, or read. */
function neverThrowsElse(decode: (value: Uint8Array) => unknown): void {
  const kinds = ['none', 'malformed/EXTENSION', 'malformed/CBOR', 'limit/LENGTH', 'limit/ITEMS', 'limit/DEPTH']
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (value) => {
      expect(kinds).toContain(failure(() => decode(value)))
    }),
  )
}

function refusesEveryTruncation(value: Uint8Array, decode: (value: Uint8Array) => unknown): void {
  for (let end = 0; end < value.length; end++) expect(failure(() => decode(value.subarray(0, end)))).not.toBe('none')
}

it('what is announced is what has a value and is acted upon', () => {
  expect(ANNOUNCED_TLV_TYPES).toEqual([0x4352, 0x4353, 0x4355, 0x4356])
  expect(ANNOUNCED_TLV_TYPES.every(isAnnounceableTlv)).toBe(true)
})

describe('RouteContext', () => {
  const session = octets('000102030405060708090a0b0c0d0e0f')

  it('is a deterministic CBOR map of target and session', () => {
    expect(hex(encodeRouteContext({ target: 'tools', session: undefined }))).toBe('a10065746f6f6c73')
    expect(hex(encodeRouteContext({ target: 'tools', session }))).toBe(`a20065746f6f6c730150${hex(session)}`)
  })

  it('decodes what was encoded', () => {
    const target = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 15 }).filter((text) => text.isWellFormed())
    const any = fc.option(fc.uint8Array({ minLength: 16, maxLength: 16 }), { nil: undefined })
    fc.assert(
      fc.property(target, any, (target, session) => {
        fc.pre(Buffer.byteLength(target) <= 63)
        expect(decodeRouteContext(encodeRouteContext({ target, session }))).toEqual({ target, session })
      }),
    )
  })

  it('refuses a missing or long target and a session of another length', () => {
    const targetOf63 = `a10078${'3f'}${'61'.repeat(63)}`
    expect(decodeRouteContext(octets(targetOf63)).target).toHaveLength(63)
    const refused = ['a0', 'a10060', `a10078${'40'}${'61'.repeat(64)}`, 'a2006161014100', 'a100 01', '80']
    for (const value of refused) expect(failure(() => decodeRouteContext(octets(value)))).toBe('malformed/EXTENSION')
    expect(failure(() => decodeRouteContext(octets('a200616101')))).toBe('malformed/CBOR')
    for (const target of ['', 'x'.repeat(64), 'é'.repeat(32)])
      expect(failure(() => encodeRouteContext({ target, session: undefined }))).toBe('misuse/ARGUMENT')
    expect(failure(() => encodeRouteContext({ target: 'a', session: octets('00') }))).toBe('misuse/ARGUMENT')
  })

  it('survives any octets and every truncation', () => {
    neverThrowsElse(decodeRouteContext)
    refusesEveryTruncation(encodeRouteContext({ target: 'tools', session }), decodeRouteContext)
  })

  it('keeps the session after its frame is gone', () => {
    const value = encodeRouteContext({ target: 'tools', session })
    const decoded = decodeRouteContext(value)
    value.fill(0)
    expect(decoded.session).toEqual(session)
  })
})

describe('RelatedExchange', () => {
  it('is the originator and the correlation id', () => {
    expect(hex(encodeRelatedExchange({ originator: 1, correlationId: octets('2237 22') }))).toBe('01223722')
    expect(decodeRelatedExchange(octets('0037'))).toEqual({ originator: 0, correlationId: octets('37') })
  })

  it('refuses an unknown originator, an empty id and one over 255 octets', () => {
    for (const value of ['', '00', '0237', `00${'61'.repeat(256)}`])
      expect(failure(() => decodeRelatedExchange(octets(value)))).toBe('malformed/EXTENSION')
    expect(failure(() => encodeRelatedExchange({ originator: 0, correlationId: octets('') }))).toBe('misuse/ARGUMENT')
    neverThrowsElse(decodeRelatedExchange)
  })

  it('decodes what was encoded', () => {
    const id = fc.uint8Array({ minLength: 1, maxLength: 255 })
    fc.assert(
      fc.property(fc.constantFrom<0 | 1>(0, 1), id, (originator, correlationId) => {
        const related = { originator, correlationId }
        expect(decodeRelatedExchange(encodeRelatedExchange(related))).toEqual(related)
      }),
    )
  })
})

describe('DeliveryOutcome', () => {
  it('is two octets', () => {
    expect(hex(encodeDeliveryOutcome({ outcome: 3, reason: 7 }))).toBe('0307')
    for (let outcome = 0; outcome <= 3; outcome++)
      for (let reason = 0; reason <= 7; reason++) {
        const value = { outcome: outcome as Outcome, reason }
        expect(decodeDeliveryOutcome(encodeDeliveryOutcome(value))).toEqual(value)
      }
    expect(failure(() => encodeDeliveryOutcome({ outcome: 1, reason: 8 }))).toBe('misuse/ARGUMENT')
  })

  it('counts as absent with any other length or value', () => {
    for (const value of ['', '00', '000000', '0400', '0008', 'ff00'])
      expect(decodeDeliveryOutcome(octets(value))).toBeUndefined()
  })

  it('stands for not delivered after codes 2, 3 and 5, and for unknown after the others, when it is absent', () => {
    const codes = Object.values(TRANSPORT_ERROR)
    expect(codes.filter((code) => defaultOutcome(code) === 0)).toEqual([2, 3, 5])
    expect(codes.filter((code) => defaultOutcome(code) === 1)).toEqual([1, 4, 6, 16, 17, 18, 19, 20, 21])
  })
})

describe('ServiceParameters', () => {
  it('is a deterministic CBOR map, whatever the order of its making', () => {
    const value = encodeServiceParameters(
      new Map([
        ['retry-after', '3'],
        [':status', '503'],
      ]),
    )
    expect(hex(value)).toBe('a2673a737461747573633530336b72657472792d61667465726133')
    expect(decodeServiceParameters(value).get(':status')).toBe('503')
  })

  it('carries header octets as U+0000 to U+00FF and nothing above', () => {
    const value = new Map([['mcp-name', '\0\u007f\u0080\u00ff']])
    expect(decodeServiceParameters(encodeServiceParameters(value))).toEqual(value)
    expect(failure(() => encodeServiceParameters(new Map([['mcp-name', '\u0100']])))).toBe('misuse/ARGUMENT')
    expect(failure(() => decodeServiceParameters(octets('a1616162c480')))).toBe('malformed/EXTENSION')
  })

  it('has lower-case names only', () => {
    for (const name of ['A', 'a b', 'a:b', 'é', '', 'a\n'])
      expect(failure(() => encodeServiceParameters(new Map([[name, 'x']])))).toBe('misuse/ARGUMENT')
    expect(failure(() => decodeServiceParameters(octets('a141416178')))).toBe('malformed/EXTENSION')
    expect(failure(() => decodeServiceParameters(octets('a161416178')))).toBe('malformed/EXTENSION')
    expect(failure(() => decodeServiceParameters(octets('a1616101')))).toBe('malformed/EXTENSION')
    expect(failure(() => decodeServiceParameters(octets('80')))).toBe('malformed/EXTENSION')
  })

  it('holds at most 64 entries and 32 KiB', () => {
    const entries = (count: number) => new Map(Array.from({ length: count }, (_, index) => [`mcp-param-${index}`, '']))
    expect(decodeServiceParameters(encodeServiceParameters(entries(64))).size).toBe(64)
    expect(failure(() => encodeServiceParameters(entries(65)))).toBe('limit/ITEMS')
    expect(failure(() => encodeServiceParameters(new Map([['a', 'x'.repeat(32 * 1024)]])))).toBe('limit/LENGTH')
    expect(failure(() => decodeServiceParameters(new Uint8Array(32 * 1024 + 1)))).toBe('limit/LENGTH')
    const pairs = Array.from({ length: 65 }, (_, index) => `62${(0x6161 + index).toString(16)}60`).join('')
    expect(failure(() => decodeServiceParameters(octets(`b841${pairs}`)))).toBe('limit/ITEMS')
  })

  it('survives any octets and every truncation, and decodes what was encoded', () => {
    neverThrowsElse(decodeServiceParameters)
    refusesEveryTruncation(
      encodeServiceParameters(
        new Map([
          ['mcp-name', 'x'],
          ['a', 'b'],
        ]),
      ),
      decodeServiceParameters,
    )
    const name = fc.stringMatching(/^[a-z0-9-]{1,20}$/)
    const value = fc.uint8Array({ maxLength: 20 }).map((all) => String.fromCharCode(...all))
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 64 }), (all) => {
        const parameters = new Map(all)
        expect(decodeServiceParameters(encodeServiceParameters(parameters))).toEqual(parameters)
      }),
    )
  })
})

describe('what becomes of service parameters', () => {
  const never = [
    'authorization',
    'cookie',
    'cookie2',
    'host',
    'mcp-session-id',
    'mcp-protocol-version',
    'content-type',
    'content-length',
    'connection',
    'transfer-encoding',
    'proxy-authorization',
    'te',
    'upgrade',
  ]

  it.each(never)('%s never crosses', (name) => {
    expect(isForbiddenParameter(name)).toBe(true)
    const parameters = new Map([
      [name, 'x'],
      ['mcp-name', 'y'],
    ])
    expect(withoutForbidden(parameters)).toEqual({ kept: new Map([['mcp-name', 'y']]), dropped: 1 })
  })

  it('a value that no header can hold does not cross', () => {
    for (const value of ['a\r\nb', 'a\nb', 'a\0']) expect(withoutForbidden(new Map([['x-a', value]])).dropped).toBe(1)
  })

  it('a near relay uses status and retry-after of a reply, where they are what HTTP knows', () => {
    const { kept, dropped } = replyParameters(
      new Map([
        [':status', '404'],
        ['retry-after', '3'],
        ['x', 'y'],
      ]),
    )
    expect(kept).toEqual(
      new Map([
        [':status', '404'],
        ['retry-after', '3'],
      ]),
    )
    expect(dropped).toBe(1)
    expect(statusOf(kept)).toBe(404)
    expect(statusOf(new Map())).toBeUndefined()
    for (const status of ['99', '600', '101', '2000', 'abc', '-20']) {
      expect(replyParameters(new Map([[':status', status]])).dropped).toBe(1)
      expect(statusOf(new Map([[':status', status]]))).toBeUndefined()
    }
    expect(replyParameters(new Map([['retry-after', '1\r\n']])).dropped).toBe(1)
  })
})

describe('TraceContext', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  it('is traceparent, and tracestate behind a line feed', () => {
    const decoded = { traceparent, tracestate: 'a=1,b=2' }
    expect(decodeTraceContext(encodeTraceContext(decoded))).toEqual(decoded)
    expect(new TextDecoder().decode(encodeTraceContext(decoded))).toBe(`${traceparent}\na=1,b=2`)
    const alone = { traceparent, tracestate: undefined }
    expect(decodeTraceContext(encodeTraceContext(alone))).toEqual(alone)
  })

  it('refuses what is no trace context', () => {
    const zeros = '0'.repeat(32)
    const texts = ['', 'x', traceparent.toUpperCase(), `00-${zeros}-b7ad6b7169203331-01`, `ff${traceparent.slice(2)}`]
    for (const text of [...texts, `${traceparent}\n`, `${traceparent}\na\nb`, `${traceparent}\n${'x'.repeat(513)}`])
      expect(failure(() => decodeTraceContext(new TextEncoder().encode(text)))).toBe('malformed/EXTENSION')
    neverThrowsElse(decodeTraceContext)
    refusesEveryTruncation(encodeTraceContext({ traceparent, tracestate: undefined }), decodeTraceContext)
  })
})

describe('AuditHead', () => {
  const head = {
    chainId: new Uint8Array(16).fill(1),
    sequence: 2n ** 63n,
    head: new Uint8Array(32).fill(2),
    publicKey: new Uint8Array(32).fill(3),
    signature: new Uint8Array(64).fill(4),
  }

  it('decodes what was encoded, sequence numbers beyond 2^53 included', () => {
    expect(decodeAuditHead(encodeAuditHead(head))).toEqual(head)
    refusesEveryTruncation(encodeAuditHead(head), decodeAuditHead)
    neverThrowsElse(decodeAuditHead)
  })

  it('is signed over its context, a zero octet and the encoding of keys 0 to 2', () => {
    const claim = `a30050${'01'.repeat(16)}011b8000000000000000025820${'02'.repeat(32)}`
    expect(hex(auditHeadMessage(head))).toBe(`${Buffer.from('causeway audit head v1').toString('hex')}00${claim}`)
  })

  it('refuses fields of another length', () => {
    expect(failure(() => encodeAuditHead({ ...head, head: new Uint8Array(31) }))).toBe('misuse/ARGUMENT')
    expect(failure(() => encodeAuditHead({ ...head, sequence: 2n ** 64n }))).toBe('misuse/ARGUMENT')
    const short = encodeAuditHead(head)
    short[2] = 0x4f
    expect(failure(() => decodeAuditHead(short))).not.toBe('none')
  })
})

describe('extensions of a frame', () => {
  const values = {
    parameters: new Map([['mcp-name', 'x']]),
    related: { originator: 0, correlationId: octets('37') },
    route: { target: 'a', session: undefined },
    outcome: { outcome: 1, reason: 2 },
  } as const

  it('leave only where the peer announced that it reads them', () => {
    expect([...encodeExtensions(values, new Set([0x4353, 0x4356])).keys()]).toEqual([0x4353, 0x4356])
    expect(encodeExtensions(values, new Set()).size).toBe(0)
  })

  it('mean something on the kinds of frame that list them and are counted elsewhere', () => {
    const extensions = encodeExtensions(values, new Set(ANNOUNCED_TLV_TYPES))
    const read = (kind: number) => readExtensions({ ...payloadOf(kind), extensions })
    expect(read(MESSAGE_KIND.REQUEST)).toEqual({ ...values, outcome: undefined, misplaced: 1 })
    expect(read(MESSAGE_KIND.NOTIFY)).toEqual({ ...values, parameters: new Map(), outcome: undefined, misplaced: 2 })
    expect(read(MESSAGE_KIND.RESPONSE)).toMatchObject({ parameters: values.parameters, route: undefined, misplaced: 3 })
    expect(read(MESSAGE_KIND.ERROR)).toMatchObject({ outcome: values.outcome, related: undefined, misplaced: 2 })
    expect(belongsOn(0x4358, MESSAGE_KIND.STREAM_END)).toBe(true)
    expect(belongsOn(0x4354, MESSAGE_KIND.REQUEST)).toBe(false)
  })
})

function payloadOf(kind: number) {
  const envelope = { protocolId: 1, kind, contentType: 1, flags: 0, correlationId: octets('37'), method: '' }
  return { envelope, label: undefined, foreign: octets('') }
}
