import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { vectors } from '../../../test/fixtures/npamp/vectors.ts'
import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { TLV } from '../codepoints/tlv-types.ts'
import { encodeTlvs } from '../wire/tlv.ts'
import { decodeClientHello, encodeClientHello } from './client-hello.ts'
import { decodeServerHello, encodeServerHello } from './server-hello.ts'
import { Transcript } from './transcript.ts'

interface TranscriptKat {
  readonly fips180_4_sha256_abc: { readonly digest: string }
  readonly expected_transcript_points: Readonly<Record<'th_kem' | 'th_sid' | 'th_scv' | 'th_cid' | 'th_ccv', string>>
  readonly frames: readonly {
    readonly frame_type: string
    readonly tlvs: readonly { readonly type: string; readonly value: string }[]
  }[]
}

const kat = vectors<TranscriptKat>('transcript-kat')
const points = kat.expected_transcript_points
const frames = kat.frames.map((frame) => ({
  type: Number(frame.frame_type),
  tlvs: frame.tlvs.map(({ type, value }) => ({ type: Number(type), value: octets(value) })),
}))
const [clientHello, serverHello, serverAuth, clientAuth] = frames

describe.each(PROVIDERS)('the published transcript on $name', (provider) => {
  const point = (transcript: Transcript) => hex(transcript.point(provider, 'sha256'))

  it('hashes "abc" as FIPS 180-4 does', () => {
    expect(hex(provider.hash('sha256', octets('616263')))).toBe(kat.fips180_4_sha256_abc.digest)
  })

  it(`${requirement('HS-030', 'HS-031', 'HS-032', 'HS-033', 'HS-034')} has all five points`, () => {
    const transcript = new Transcript()
    const seen: string[] = []
    for (const frame of frames) {
      transcript.absorbFrameType(frame.type)
      for (const { type, value } of frame.tlvs) {
        transcript.absorbTlv(type, value)
        seen.push(point(transcript))
      }
    }
    // Five TLVs in each HELLO, three in each AUTH.
    expect([seen[9], seen[10], seen[11], seen[13], seen[14]]).toEqual([
      points.th_kem,
      points.th_sid,
      points.th_scv,
      points.th_cid,
      points.th_ccv,
    ])
  })

  it(`${requirement('HS-055')} is the same when whole TLV lists are absorbed as they came`, () => {
    const transcript = new Transcript()
    for (const frame of [clientHello, serverHello]) {
      transcript.absorbFrameType(frame?.type ?? 0)
      transcript.absorbTlvs(encodeTlvs(frame?.tlvs ?? []))
    }
    expect(point(transcript)).toBe(points.th_kem)
  })

  it('grows past its first capacity without losing an octet', () => {
    const transcript = new Transcript()
    const large = new Uint8Array(5000).fill(3)
    for (let round = 0; round < 5; round++) transcript.absorbTlvs(large)
    expect(point(transcript)).toBe(hex(provider.hash('sha256', new Uint8Array(25_000).fill(3))))
    transcript.wipe()
    expect(point(transcript)).toBe(hex(provider.hash('sha256', new Uint8Array(0))))
  })
})

describe('the published flights', () => {
  it(`${requirement('HS-003', 'HS-007', 'HS-008')} CLIENT_HELLO decodes to its offers and back to its octets`, () => {
    const payload = encodeTlvs(clientHello?.tlvs ?? [])
    const hello = decodeClientHello(payload)
    expect(clientHello?.type).toBe(CONTROL_FRAME.CLIENT_HELLO)
    expect(hello.offer).toEqual({ profiles: [1, 2, 3], kems: [0x11ec], signatures: [0x0807], aeads: [0x0002] })
    expect(hex(encodeClientHello(hello))).toBe(hex(payload))
  })

  it(`${requirement('HS-004', 'HS-007', 'HS-008')} SERVER_HELLO decodes to its selection and back to its octets`, () => {
    const payload = encodeTlvs(serverHello?.tlvs ?? [])
    const hello = decodeServerHello(payload)
    expect(serverHello?.type).toBe(CONTROL_FRAME.SERVER_HELLO)
    expect(hello.selected).toEqual({ profile: 1, kem: 0x11ec, signature: 0x0807, aead: 0x0002 })
    expect(hex(encodeServerHello(hello))).toBe(hex(payload))
  })

  it(`${requirement('HS-005', 'HS-010')} AUTH flights hold IdentityKey, CertVerify and Finished`, () => {
    for (const frame of [serverAuth, clientAuth]) {
      expect(frame?.tlvs.map(({ type }) => type)).toEqual([TLV.IDENTITY_KEY, TLV.CERT_VERIFY, TLV.FINISHED])
    }
  })
})
