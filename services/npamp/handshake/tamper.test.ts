import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  clientConfig,
  completeHandshake,
  FLIGHTS,
  type Flight,
  type Outcome,
  serverConfig,
  shakeHands,
  type Wire,
} from '../../../test/fixtures/npamp/handshake.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { AEAD } from '../codepoints/suites.ts'
import { NpampError } from '../errors.ts'
import { crc32c } from '../wire/crc32c.ts'
import { AAD_OCTETS, encodeHeader, HEADER_OCTETS } from '../wire/header.ts'
import { concatOctets } from '../wire/octets.ts'
import { decodeClientHello, encodeClientHello, type Offer } from './client-hello.ts'
import { decodeServerHello, encodeServerHello, type SelectedCodes } from './server-hello.ts'

const CLIENT = clientConfig()
const SERVER = serverConfig()

/** `family/CODE` of what stopped it; fails the test when it was no error of ours, or nothing. */
function stopped(outcome: Outcome): string {
  const error = outcome.failed?.error
  if (!(error instanceof NpampError)) throw error ?? new Error('both ends are established')
  return `${outcome.failed?.side} ${error.family}/${error.code}`
}

/** Changes one flight on its way and nothing else. */
function altering(target: Flight, change: (octets: Uint8Array) => Uint8Array): Wire {
  return (flight, octets) => (flight === target ? change(octets) : octets)
}

function flipping(target: Flight, at: number, bit: number): Wire {
  return altering(target, (octets) => {
    octets[at] = (octets[at] as number) ^ (1 << bit)
    return octets
  })
}

/** A flip inside the header with its CRC made right again, as an attacker would. */
function forgingHeader(target: Flight, at: number, bit: number): Wire {
  return altering(target, (octets) => {
    octets[at] = (octets[at] as number) ^ (1 << bit)
    new DataView(octets.buffer).setUint32(21, crc32c(octets, 0, AAD_OCTETS))
    return octets
  })
}

/** Puts another payload behind a right header. */
function repayload(octets: Uint8Array, type: number, change: (payload: Uint8Array) => Uint8Array): Uint8Array {
  const payload = change(octets.subarray(HEADER_OCTETS))
  const header = encodeHeader({ flags: 0, type, channel: 0, sequence: 0n, payloadOctets: payload.length })
  return concatOctets([header, payload])
}

const reoffering = (change: (offer: Offer) => Partial<Offer>): Wire =>
  altering('clientHello', (octets) =>
    repayload(octets, 0x0100, (payload) => {
      const { offer, share } = decodeClientHello(payload)
      return encodeClientHello({ offer: { ...offer, ...change(offer) }, share })
    }),
  )

const reselecting = (change: Partial<SelectedCodes>): Wire =>
  altering('serverHello', (octets) =>
    repayload(octets, 0x0101, (payload) => {
      const { selected, ciphertext } = decodeServerHello(payload)
      return encodeServerHello({ selected: { ...selected, ...change }, ciphertext })
    }),
  )

const LENGTH_AT = 17
const RECEIVER: Readonly<Record<Flight, 'client' | 'server'>> = {
  clientHello: 'server',
  serverHello: 'client',
  serverAuth: 'client',
  clientAuth: 'server',
}

/** What a forged header is taken for. */
function verdict(flight: Flight, at: number, bit: number): string {
  if (at < 4) return 'malformed/BAD_MAGIC'
  if (at === 4 && bit > 3) return 'malformed/BAD_VERSION'
  // CLIENT_HELLO is 0x0100: without that bit it is 0x0000.
  if (flight === 'clientHello' && at === 5 && bit === 0) return 'malformed/ILLEGAL_FRAME_TYPE'
  return 'misbehaved/UNEXPECTED_FRAME'
}

/** Octets of a flight between CLIENT and SERVER. */
function lengthOf(flight: Flight): number {
  return completeHandshake(CLIENT, SERVER).flights[flight].length
}

describe.each(FLIGHTS)('%s on its way', (flight) => {
  it(`${requirement('HS-011', 'HS-051')} stops the handshake with a typed error, whichever octet is flipped`, () => {
    const length = lengthOf(flight)
    for (let at = 0; at < length; at++) {
      const outcome = shakeHands(CLIENT, SERVER, flipping(flight, at, at % 8))
      expect(stopped(outcome)).toMatch(/^(client|server) (malformed|misbehaved|incompatible|authentication|limit)\//)
      expect(outcome.server).toBeUndefined()
      // The client finishes before CLIENT_AUTH crosses; the server never answers it.
      if (flight !== 'clientAuth') expect(outcome.client).toBeUndefined()
    }
  })

  it(`${requirement('HS-001', 'HS-002')} is refused with any header bit forged under a right CRC`, () => {
    // Up to the length field: a longer payload is a frame still to come, not one to judge.
    for (let at = 0; at < LENGTH_AT; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const outcome = shakeHands(CLIENT, SERVER, forgingHeader(flight, at, bit))
        expect(stopped(outcome)).toBe(`${RECEIVER[flight]} ${verdict(flight, at, bit)}`)
      }
    }
  })

  it(`${requirement('HS-002')} is refused with ENC the wrong way round`, () => {
    const outcome = shakeHands(CLIENT, SERVER, forgingHeader(flight, 4, 1))
    expect(stopped(outcome)).toBe(`${RECEIVER[flight]} misbehaved/UNEXPECTED_FRAME`)
  })
})

describe('an attacker who rewrites what is in clear', () => {
  it(`${requirement('HS-051')} cannot strip, add or reorder offers, even where the server could use the rest`, () => {
    const attempts = [
      reoffering(() => ({ aeads: [AEAD.CHACHA20_POLY1305] })),
      reoffering(() => ({ aeads: [AEAD.CHACHA20_POLY1305, AEAD.AES_256_GCM] })),
      reoffering(({ aeads }) => ({ aeads: [...aeads, 0x7777] })),
      reoffering(({ profiles }) => ({ profiles: [...profiles, PROFILE.HIGH] })),
      reoffering(({ profiles }) => ({ profiles: [...profiles, ...profiles] })),
      reoffering(({ kems }) => ({ kems: [...kems, 0x11ed] })),
      reoffering(({ signatures }) => ({ signatures: [0x0905, ...signatures] })),
    ]
    for (const wire of attempts) expect(stopped(shakeHands(CLIENT, SERVER, wire))).toBe('client authentication/TAG')
  })

  it(`${requirement('HS-051')} cannot change a selection to another one that was offered`, () => {
    const wire = reselecting({ aead: AEAD.CHACHA20_POLY1305 })
    expect(stopped(shakeHands(CLIENT, SERVER, wire))).toBe('client authentication/TAG')
  })

  it.each([
    [{ profile: PROFILE.HIGH }, 'NOT_OFFERED'],
    [{ profile: 0 }, 'NOT_OFFERED'],
    [{ kem: 0x11ed }, 'NOT_OFFERED'],
    [{ signature: 0x0905 }, 'NOT_OFFERED'],
    [{ aead: 0x7777 }, 'NOT_OFFERED'],
  ])(`${requirement('HS-012', 'HS-018')} cannot select %o, which was not offered`, (change, code) => {
    expect(stopped(shakeHands(CLIENT, SERVER, reselecting(change)))).toBe(`client misbehaved/${code}`)
  })

  it(`${requirement('HS-029')} sees a damaged ML-KEM ciphertext fail as a tag`, () => {
    // Behind 36 octets of header, 23 of selections and 4 of TLV header.
    expect(stopped(shakeHands(CLIENT, SERVER, flipping('serverHello', 36 + 23 + 4 + 500, 3)))).toBe(
      'client authentication/TAG',
    )
  })

  it(`${requirement('HS-028')} cannot force a zero X25519 secret on either end`, () => {
    const zeroTail = (octets: Uint8Array) => octets.fill(0, octets.length - 32)
    expect(stopped(shakeHands(CLIENT, SERVER, altering('clientHello', zeroTail)))).toBe('server authentication/KEM')
    expect(stopped(shakeHands(CLIENT, SERVER, altering('serverHello', zeroTail)))).toBe('client authentication/KEM')
  })

  it('cannot make the server take an encapsulation key above the modulus', () => {
    // The first coefficient of ek, behind header, offers and the share's TLV header.
    const at = lengthOf('clientHello') - 1216
    const wire = altering('clientHello', (octets) => {
      octets[at] = 0xff
      octets[at + 1] = (octets[at + 1] as number) | 0x0f
      return octets
    })
    expect(stopped(shakeHands(CLIENT, SERVER, wire))).toBe('server authentication/KEM')
  })

  it(`${requirement('HS-027')} cannot shorten or lengthen share and ciphertext`, () => {
    for (const delta of [-1, 1]) {
      const resize = (octets: Uint8Array) => {
        const resized = new Uint8Array(octets.length + delta)
        resized.set(octets.subarray(0, resized.length))
        return resized
      }
      const share = altering('clientHello', (octets) =>
        repayload(octets, 0x0100, (payload) => {
          const hello = decodeClientHello(payload)
          return encodeClientHello({ ...hello, share: resize(hello.share) })
        }),
      )
      const ciphertext = altering('serverHello', (octets) =>
        repayload(octets, 0x0101, (payload) => {
          const hello = decodeServerHello(payload)
          return encodeServerHello({ ...hello, ciphertext: resize(hello.ciphertext) })
        }),
      )
      expect(stopped(shakeHands(CLIENT, SERVER, share))).toBe('server malformed/TLV_VALUE')
      expect(stopped(shakeHands(CLIENT, SERVER, ciphertext))).toBe('client malformed/TLV_VALUE')
    }
  })
})

describe('one flight in place of another', () => {
  const pairs = FLIGHTS.flatMap((target) =>
    FLIGHTS.filter((other) => other !== target).map((other) => ({ target, other })),
  )

  it.each(pairs)(`${requirement('HS-001')} $other where $target belongs is refused`, ({ target, other }) => {
    const recorded = completeHandshake(CLIENT, SERVER).flights[other]
    const outcome = shakeHands(
      CLIENT,
      SERVER,
      altering(target, () => new Uint8Array(recorded)),
    )
    expect(stopped(outcome)).toMatch(/misbehaved\/UNEXPECTED_FRAME$/)
  })

  it.each(FLIGHTS.slice(1))(`${requirement('HS-051')} %s of an earlier handshake does not fit this one`, (flight) => {
    const recorded = completeHandshake(CLIENT, SERVER).flights[flight]
    const outcome = shakeHands(
      CLIENT,
      SERVER,
      altering(flight, () => new Uint8Array(recorded)),
    )
    expect(stopped(outcome)).toMatch(/authentication\/TAG$/)
    expect(outcome.server).toBeUndefined()
  })

  it(`${requirement('HS-054')} application data before CLIENT_AUTH is refused: there is no early data`, () => {
    const early = (type: number, flags: number) =>
      concatOctets([
        encodeHeader({ flags, type, channel: 0x000d, sequence: 0n, payloadOctets: 32 }),
        new Uint8Array(32),
      ])
    for (const flags of [0, 2]) {
      for (const target of ['clientHello', 'clientAuth'] as const) {
        const outcome = shakeHands(
          CLIENT,
          SERVER,
          altering(target, () => early(0x0100, flags)),
        )
        expect(stopped(outcome)).toBe('server misbehaved/UNEXPECTED_FRAME')
        expect(outcome.server).toBeUndefined()
      }
    }
  })
})
