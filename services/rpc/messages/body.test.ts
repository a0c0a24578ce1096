import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { PeerSchema } from '../generated/causeway/config/v1/peer_pb.ts'
import { type Route, RouteSchema } from '../generated/causeway/config/v1/route_pb.ts'
import { decodeBody, encodeBody, versionOf } from './body.ts'

const route = (): Route =>
  create(RouteSchema, {
    path: '/tools',
    target: { case: 'peer', value: { peer: 'default/tools', target: 'search' } },
    forwardHeaders: ['a', 'b'],
    cors: { allowedOrigins: ['https://app.example.com'], maxAgeSeconds: 60n },
  })

/** Field 1,000 as a varint: no message has it. */
const FIELD_1000 = Uint8Array.of(0xc0, 0x3e, 0x01)
const followedBy = (body: Uint8Array, more: Uint8Array): Uint8Array => Uint8Array.from([...body, ...more])

describe('the body of a resource', () => {
  it('is the same octets whatever order the fields were set in', () => {
    const { path, target, forwardHeaders, cors } = route()
    const other = Object.assign(create(RouteSchema), { cors, forwardHeaders, target, path })
    expect(encodeBody('route', other)).toEqual(encodeBody('route', route()))
  })

  it('is read back as what it was', () => {
    expect(decodeBody('route', encodeBody('route', route()))).toEqual({ kind: 'route', message: route() })
  })

  it('is malformed when it is cut', () => {
    const body = encodeBody('route', route())
    expect(decodeBody('route', body.subarray(0, body.length - 1))).toBe('malformed')
  })

  it.each([
    ['at the top', 'route', followedBy(encodeBody('route', route()), FIELD_1000)],
    ['within a message', 'route', Uint8Array.of(0x32, FIELD_1000.length, ...FIELD_1000)],
    ['within a list', 'peer', Uint8Array.of(0x1a, FIELD_1000.length, ...FIELD_1000)],
  ] as const)('is not taken when a field is not known, %s', (_where, kind, body) => {
    expect(decodeBody(kind, body)).toBe('unknownFields')
  })

  it('has its SHA-256 as version', () => {
    const empty = encodeBody('peer', create(PeerSchema))
    expect(Buffer.from(versionOf(empty)).toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })
})
