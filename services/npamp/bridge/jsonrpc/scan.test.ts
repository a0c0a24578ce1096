import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../../test/fixtures/npamp/errors.ts'
import { blanks, spelledJson } from '../../../../test/fixtures/npamp/json-spelling.ts'
import { type ScannedMessage, scanMessage, splitBatch } from './scan.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const scan = (text: string) => scanMessage(utf8(text))
const string = (octets: Uint8Array | undefined) => octets && new TextDecoder().decode(octets)
const span = (message: ScannedMessage, name: 'params' | 'result' | 'error') => {
  const found = message[name]
  return found && string(message.text.subarray(found.start, found.end))
}

describe('scanMessage', () => {
  it(`${requirement('RPC-001')} leaves the octets of any spelling as they are`, () => {
    fc.assert(
      fc.property(spelledJson, blanks(), (params, blank) => {
        const text = `{${blank}"params":${params},"jsonrpc"${blank}:"2.0","id":1.50,"method":"a"}`
        const octets = utf8(`\n${text}\r\n `)
        const message = scanMessage(octets)
        expect(message.text.buffer).toBe(octets.buffer)
        expect(string(message.text)).toBe(text)
        expect(span(message, 'params')).toBe(params)
        expect(string(message.idToken)).toBe('1.50')
      }),
    )
  })

  it.each([
    ['request', '{"jsonrpc":"2.0","id":7,"method":"tools/list"}'],
    ['request', '{"jsonrpc":"2.0","id":null,"method":"m"}'],
    ['notification', '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'],
    ['result', '{"jsonrpc":"2.0","id":"a","result":null}'],
    ['error', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'],
    ['error', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}'],
    ['batch', '[]'],
    ['batch', '[{"jsonrpc":"2.0"}]'],
  ])('says %s for %s', (shape, text) => {
    expect(scan(text).shape).toBe(shape)
  })

  it('reads names and the version through their escapes, and keeps id tokens as written', () => {
    const message = scan('{"\\u006asonrpc":"\\u0032.0","\\u0069d":"\\u0041\\n","m\\u0065thod":"tools\\/call"}')
    expect(message.method).toBe('tools/call')
    expect(string(message.idToken)).toBe('"\\u0041\\n"')
  })

  it.each(['9007199254740993', '-0', '1e2', '1.0', '123456789012345678901234567890', '"1"', 'null'])(
    `${requirement('RPC-022')} gives the id %s as it stands`,
    (id) => {
      expect(string(scan(`{"jsonrpc":"2.0","id": ${id} ,"method":"m"}`).idToken)).toBe(id)
    },
  )

  it.each([
    [requirement('RPC-003'), 'without jsonrpc', '{"id":1,"method":"m"}'],
    [requirement('RPC-004'), 'with jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"m"}'],
    [requirement('RPC-004'), 'with jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"m"}'],
    [requirement('RPC-004'), 'with jsonrpc twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}'],
    [requirement('RPC-011'), 'with id twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}'],
    [requirement('RPC-011'), 'with id twice, once escaped', '{"jsonrpc":"2.0","id":1,"\\u0069d":1,"method":"m"}'],
    [requirement('RPC-007'), 'with method twice', '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}'],
    [requirement('RPC-011'), 'with an id of true', '{"jsonrpc":"2.0","id":true,"method":"m"}'],
    [requirement('RPC-011'), 'with an id of an object', '{"jsonrpc":"2.0","id":{},"method":"m"}'],
    [requirement('RPC-011'), 'with an id of an array', '{"jsonrpc":"2.0","id":[1],"result":1}'],
    [requirement('RPC-006'), 'with a method that is no string', '{"jsonrpc":"2.0","id":1,"method":7}'],
    [requirement('RPC-010'), 'with both result and error', '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}'],
    [requirement('RPC-010'), 'with neither', '{"jsonrpc":"2.0","id":1}'],
    [requirement('RPC-011'), 'with a result and no id', '{"jsonrpc":"2.0","result":1}'],
    [
      requirement('RPC-005'),
      'that is request and response at once',
      '{"jsonrpc":"2.0","id":1,"method":"m","result":1}',
    ],
    [requirement('RPC-030'), 'that is a number', '1'],
    [requirement('RPC-030'), 'that is a string', '"jsonrpc"'],
  ])('%s refuses a message %s', (_, _what, text) => {
    expect(failure(() => scan(text))).toBe('malformed/JSON_RPC')
  })

  it.each(['', '{', '\ufeff{"jsonrpc":"2.0","id":1,"method":"m"}', '{"jsonrpc":"2.0","id":1,"method":"m"}x'])(
    'tells %j, which is no JSON, from a wrong message',
    (text) => {
      expect(failure(() => scan(text))).toBe('malformed/JSON')
    },
  )

  it('accepts unknown members and repeated ones that it does not need', () => {
    expect(scan('{"jsonrpc":"2.0","x":1,"x":2,"id":1,"method":"m","params":{},"params":[]}').shape).toBe('request')
  })

  it('never throws anything but a typed error, whatever the octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (octets) => {
        expect(['none', 'malformed/JSON', 'malformed/JSON_RPC']).toContain(failure(() => scanMessage(octets)))
      }),
    )
    fc.assert(
      fc.property(spelledJson, (text) => {
        expect(['none', 'malformed/JSON_RPC']).toContain(failure(() => scan(text)))
      }),
    )
  })

  it('refuses every truncation of a message', () => {
    const octets = utf8('{"jsonrpc":"2.0","id":"\\u0041é","method":"tools/call","params":{"a":[1.5e3,true,null,"x"]}}')
    for (let end = 0; end < octets.length; end++)
      expect(failure(() => scanMessage(octets.subarray(0, end)))).toBe('malformed/JSON')
    expect(scanMessage(octets).shape).toBe('request')
  })
})

describe('splitBatch', () => {
  it('slices a batch into the raw texts of its messages', () => {
    const batch = scan('[ {"jsonrpc":"2.0","id":1.0,"method":"a"} ,\n{"x":"]"}, 3]')
    expect(splitBatch(batch, 3).map(string)).toEqual(['{"jsonrpc":"2.0","id":1.0,"method":"a"}', '{"x":"]"}', '3'])
  })

  it('refuses an empty batch and one over the limit', () => {
    expect(failure(() => splitBatch(scan('[ ]'), 3))).toBe('malformed/JSON_RPC')
    expect(failure(() => splitBatch(scan(`[${'0,'.repeat(3)}0]`), 3))).toBe('limit/ITEMS')
  })
})
