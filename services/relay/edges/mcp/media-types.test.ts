import { describe, expect, it } from 'vitest'
import { AcceptHeader, isIdentity, isJson } from './media-types.ts'

describe('Content-Type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
    'application/json; profile=x',
    'application/json; charset=us-ascii',
    'application/json; charset=utf8',
    'application/json;',
  ])('takes %s', (value) => {
    expect(isJson(value)).toBe(true)
  })

  it.each([
    undefined,
    '',
    'text/json',
    'application/json-rpc',
    'application/jsonx',
    'text/plain; x=application/json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json, text/plain',
  ])('refuses %s', (value) => {
    expect(isJson(value)).toBe(false)
  })
})

describe('Content-Encoding', () => {
  it('may be absent or identity', () => {
    expect(isIdentity(undefined)).toBe(true)
    expect(isIdentity('identity')).toBe(true)
    expect(isIdentity('gzip')).toBe(false)
    expect(isIdentity('identity, gzip')).toBe(false)
  })
})

describe('Accept', () => {
  it.each([
    'application/json, text/event-stream',
    'text/event-stream,application/json',
    'application/json;q=0.5, text/event-stream; q=1.0',
    'Application/JSON; charset=utf-8, Text/Event-Stream',
    '*/*',
    'application/*, text/*',
    'text/html, */*;q=0.1',
    'application/json, text/plain, */*',
    undefined,
  ])('%s admits both', (value) => {
    const accept = new AcceptHeader()
    expect(accept.admitsBoth(value)).toBe(true)
    expect(accept.admitsBoth(value)).toBe(true)
  })

  it.each([
    '',
    'application/json',
    'text/event-stream',
    'text/html',
    'text/*',
    'application/json, text/event-stream;q=0',
    '*/*, text/event-stream;q=0.000',
    'application/jsonx, text/event-stream',
  ])('%j does not', (value) => {
    const accept = new AcceptHeader()
    expect(accept.admitsBoth(value)).toBe(false)
    expect(accept.admitsBoth(value)).toBe(false)
  })

  it('stays right when more headers come than it remembers', () => {
    const accept = new AcceptHeader()
    for (let round = 0; round < 3; round++) {
      for (let one = 0; one < 100; one++) {
        expect(accept.admitsBoth(`application/json, text/event-stream, x/y${one}`)).toBe(true)
        expect(accept.admitsBoth(`application/json, x/y${one}`)).toBe(false)
      }
    }
  })
})
