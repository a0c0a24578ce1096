import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMessage } from './read-message.ts'

const read = (text: string) => readMessage(new TextEncoder().encode(text))
const request = (method: string) => `{"jsonrpc":"2.0","id":"x","method":${method}}`

describe('readMessage', () => {
  it.each([
    ['NOT_JSON', '{"jsonrpc":'],
    ['NOT_JSON_RPC', '{"jsonrpc":"2.0"}'],
    ['METHOD_SURROGATE', request('"tools/\\udc00"')],
    ['METHOD_TOO_LONG', request(`"${'m'.repeat(256)}"`)],
    ['METHOD_TOO_LONG', request(`"${'é'.repeat(128)}"`)],
  ])('says %s', (fault, text) => {
    const reading = read(text)
    expect(reading.ok ? undefined : reading.fault).toBe(fault)
  })

  it('accepts a method of exactly 255 octets', () => {
    expect(read(request(`"${'é'.repeat(127)}m"`)).ok).toBe(true)
  })

  it('names the id where the message could be read', () => {
    const reading = read(request('"\\ud800"'))
    expect(reading.ok ? undefined : new TextDecoder().decode(reading.idToken)).toBe('"x"')
  })

  it('answers for any octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (octets) => typeof readMessage(octets).ok === 'boolean'))
  })
})
