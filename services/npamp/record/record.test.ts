import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHANNEL } from '../codepoints/channels.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { PROFILE, type ProfileCode } from '../codepoints/profiles.ts'
import { AEAD } from '../codepoints/suites.ts'
import { nobleProvider } from '../crypto/noble/index.ts'
import { nodeProvider } from '../crypto/node/index.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { AuthenticationError, ClosedError, LimitError, MisbehavedError, NpampError } from '../errors.ts'
import { DirectionRoot } from '../keys/direction-root.ts'
import { DIRECTION } from '../keys/traffic.ts'
import { Deframer, RawFrame } from '../wire/deframer.ts'
import { AAD_OCTETS, encodeHeader, FLAG } from '../wire/header.ts'
import { concatOctets } from '../wire/octets.ts'
import type { Protection } from './channel-epoch.ts'
import { KEY_LIMITS, type KeyLimits } from './key-limits.ts'
import { RecordReceiver } from './receiver.ts'
import { RecordSender } from './sender.ts'

const node = nodeProvider()
const MASTER = Uint8Array.from({ length: 32 }, (_, index) => 0x40 + index)
const { BRIDGE, CONTROL } = CHANNEL
const PING = ALL_CHANNEL_FRAME.PING

interface Ends {
  readonly sender: RecordSender
  readonly receiver: RecordReceiver
}

function ends(
  over: Partial<Protection> & { readonly limits?: KeyLimits } = {},
  provider: CryptoProvider = node,
  master: Uint8Array = MASTER,
): Ends {
  const { limits = KEY_LIMITS[PROFILE.STANDARD], ...rest } = over
  const { aad } = provider.scratch
  const protection: Protection = { profile: PROFILE.STANDARD, aead: AEAD.AES_256_GCM, aad, ...rest }
  const hash = master.length === 32 ? 'sha256' : 'sha384'
  const root = () => new DirectionRoot(provider, hash, DIRECTION.CLIENT_TO_SERVER, master.slice())
  return {
    sender: new RecordSender(root(), protection, limits),
    receiver: new RecordReceiver(root(), protection, limits),
  }
}

function limits(over: Partial<KeyLimits['hard']>, startAt = 0.5): KeyLimits {
  const hard = { ...KEY_LIMITS[PROFILE.STANDARD].hard, ...over }
  const part = (value: number) => Math.max(1, Math.floor(value * startAt))
  return { start: { frames: part(hard.frames), octets: part(hard.octets), ageMs: part(hard.ageMs) }, hard }
}

function sealed(sender: RecordSender, channel: number, type: number, body: Uint8Array, now = 0): Uint8Array {
  const out: Uint8Array[] = []
  sender.seal(channel, type, [body], now, out)
  return concatOctets(out)
}

function parse(octets: Uint8Array): RawFrame {
  const deframer = new Deframer({ maxFrameOctets: 2 ** 24 })
  deframer.push(octets)
  const frame = deframer.next()
  if (frame === undefined) throw new Error('not a whole frame')
  return frame
}

/** The frame with one octet changed and its CRC made right again. */
function altered(octets: Uint8Array, at: number, flip = 1): RawFrame {
  const frame = parse(octets)
  if (at >= 36) {
    const payload = frame.payload.slice()
    payload[at - 36] = (payload[at - 36] ?? 0) ^ flip
    return like(frame, { pieces: [payload] })
  }
  const aad = frame.aad.slice()
  aad[at] = (aad[at] ?? 0) ^ flip
  return like(frame, { aad })
}

/** The frame with something changed. */
function like(frame: RawFrame, over: Partial<RawFrame>): RawFrame {
  const { header, aad, pieces } = { ...frame, ...over }
  return new RawFrame(header, aad, pieces)
}

/** The frame with its payload cut to so many octets. */
function cutTo(frame: RawFrame, payloadOctets: number): RawFrame {
  return like(frame, {
    header: { ...frame.header, payloadOctets },
    pieces: [frame.payload.subarray(0, payloadOctets)],
  })
}

function body(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex')
}

describe.each([
  ['node', node],
  ['noble', nobleProvider({ random: (length) => new Uint8Array(length) })],
])('a sealed frame (%s)', (_name, provider) => {
  it(`${requirement('WIRE-010', 'WIRE-012', 'REC-004', 'REC-014', 'REC-023')} equals the one computed by hand`, () => {
    // given: the numbers of digest 03 section 11, KEY_UPDATE{1} on Bridge as the sixth frame
    const { sender } = ends({}, provider)
    const frames: Uint8Array[] = []
    for (let i = 0; i < 5; i++) sender.seal(BRIDGE, PING, [], 0, frames)
    // when
    const out: Uint8Array[] = []
    sender.sealKeyUpdate(BRIDGE, 0, out)
    // then
    expect(hex(concatOctets(out))).toBe(
      '4e50414d220006000d00000000000000050000001c74ab84e60000000000000000000000' +
        'a4577cd3d0b33fc4873b00437c4570cf428510394023c4853a4e8e43',
    )
  })
})

describe('seal and open', () => {
  it('gives back what went in, whatever its parts', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (parts) => {
        const { sender, receiver } = ends()
        const out: Uint8Array[] = []
        const sequence = sender.seal(BRIDGE, BRIDGE_FRAME.REQUEST, parts, 0, out)
        expect(sequence).toBe(0n)
        const opened = receiver.open(parse(concatOctets(out)), 0)
        expect(opened).toEqual(concatOctets(parts))
      }),
      { numRuns: 50 },
    )
  })

  it(`${requirement('WIRE-012')} altering any header octet makes opening fail`, () => {
    for (let at = 0; at < AAD_OCTETS; at++) {
      const { sender, receiver } = ends()
      const octets = sealed(sender, BRIDGE, BRIDGE_FRAME.REQUEST, body('hello'))
      expect(() => receiver.open(altered(octets, at), 0), `octet ${at}`).toThrow(AuthenticationError)
    }
  })

  it(`${requirement('REC-006', 'OWN-004')} altering any octet of ciphertext or tag makes opening fail, and nothing is handed out`, () => {
    const length = sealed(ends().sender, BRIDGE, BRIDGE_FRAME.REQUEST, body('hello')).length
    for (let at = 36; at < length; at++) {
      const { sender, receiver } = ends()
      const octets = sealed(sender, BRIDGE, BRIDGE_FRAME.REQUEST, body('hello'))
      expect(() => receiver.open(altered(octets, at, 0x80), 0)).toThrow(expect.objectContaining({ code: 'TAG' }))
      // A failure never moves the expected number on.
      expect(receiver.open(parse(octets), 0)).toEqual(body('hello'))
    }
  })

  it(`${requirement('REC-005', 'WIRE-030')} counts from 0 by one, each channel for itself, whatever the type`, () => {
    const { sender, receiver } = ends()
    const seen: string[] = []
    for (const [channel, type] of [
      [CONTROL, PING],
      [BRIDGE, BRIDGE_FRAME.REQUEST],
      [CONTROL, ALL_CHANNEL_FRAME.KEY_UPDATE_ACK],
      [BRIDGE, PING],
      [BRIDGE, BRIDGE_FRAME.NOTIFY],
    ] as const) {
      const frame = parse(sealed(sender, channel, type, body('x')))
      seen.push(`${channel}:${frame.header.sequence}`)
      expect(receiver.open(frame, 0)).toEqual(body('x'))
    }
    expect(seen).toEqual(['0:0', '13:0', '0:1', '13:1', '13:2'])
  })

  it(`${requirement('WIRE-030', 'REC-001')} gives every channel keys of its own`, () => {
    const { sender } = ends()
    const onBridge = sealed(sender, BRIDGE, 0x0100, body('same text'))
    const onMemory = sealed(sender, CHANNEL.MEMORY, 0x0100, body('same text'))
    expect(hex(onBridge.subarray(36))).not.toBe(hex(onMemory.subarray(36)))
    // A frame moved to another channel does not open there.
    const moved = parse(onBridge)
    const header = { ...moved.header, channel: CHANNEL.MEMORY }
    const aad = encodeHeader(header).subarray(0, AAD_OCTETS)
    expect(() => ends().receiver.open(like(moved, { header, aad }), 0)).toThrow(AuthenticationError)
  })
})

describe('replay', () => {
  it(`${requirement('REC-008', 'REC-009')} a frame seen before is dropped, without opening it`, () => {
    const { sender, receiver } = ends()
    const first = sealed(sender, BRIDGE, 0x0100, body('one'))
    expect(receiver.open(parse(first), 0)).toEqual(body('one'))
    expect(receiver.open(parse(first), 0)).toBe('replay')
    expect(receiver.open(altered(first, 40), 0)).toBe('replay')
    expect(receiver.open(parse(sealed(sender, BRIDGE, 0x0100, body('two'))), 0)).toEqual(body('two'))
  })

  it(`${requirement('REC-009')} a frame that skips one is fatal: the gap cannot heal on an ordered stream`, () => {
    const { sender, receiver } = ends()
    sealed(sender, BRIDGE, 0x0100, body('lost'))
    const second = parse(sealed(sender, BRIDGE, 0x0100, body('two')))
    expect(() => receiver.open(second, 0)).toThrow(MisbehavedError)
    expect(() => receiver.open(second, 0)).toThrow(expect.objectContaining({ code: 'SEQUENCE_GAP' }))
  })

  it(`${requirement('REC-008')} each channel has a window of its own`, () => {
    const { sender, receiver } = ends()
    const bridge = parse(sealed(sender, BRIDGE, 0x0100, body('b')))
    const control = parse(sealed(sender, CONTROL, PING, body('c')))
    expect(receiver.open(bridge, 0)).toEqual(body('b'))
    expect(receiver.open(control, 0)).toEqual(body('c'))
    expect(receiver.open(bridge, 0)).toBe('replay')
  })
})

describe('frames that are not what they say', () => {
  const CLOSE = ALL_CHANNEL_FRAME.CLOSE

  it(`${requirement('WIRE-023', 'WIRE-024')} a CLOSE that does not authenticate is dropped, however it was forged`, () => {
    const { sender, receiver } = ends()
    const close = sealed(sender, CONTROL, CLOSE, body(''))
    const good = parse(close)
    expect(receiver.open(altered(close, 40), 0)).toBe('forged_close')
    expect(receiver.open(like(good, { header: { ...good.header, sequence: 9n } }), 0)).toBe('forged_close')
    expect(receiver.open(like(good, { header: { ...good.header, flags: 0 } }), 0)).toBe('forged_close')
    expect(receiver.open(cutTo(good, 15), 0)).toBe('forged_close')
    // The genuine one still opens.
    expect(receiver.open(good, 0)).toEqual(body(''))
  })

  it(`${requirement('OWN-005')} a frame without ENC and one without room for a tag are dropped and move nothing`, () => {
    const { sender, receiver } = ends()
    const frame = parse(sealed(sender, BRIDGE, 0x0100, body('x')))
    expect(receiver.open(like(frame, { header: { ...frame.header, flags: FLAG.URG } }), 0)).toBe('not_sealed')
    expect(receiver.open(cutTo(frame, 15), 0)).toBe('short')
    expect(receiver.open(frame, 0)).toEqual(body('x'))
  })

  it('nothing but an NpampError comes out, whatever the frame', () => {
    fc.assert(
      fc.property(
        fc.record({
          flags: fc.integer({ min: 0, max: 15 }),
          type: fc.integer({ min: 1, max: 0xffff }),
          channel: fc.integer({ min: 0, max: 0xfffe }),
          sequence: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          payload: fc.uint8Array({ maxLength: 64 }),
        }),
        ({ payload, ...fields }) => {
          const header = { ...fields, payloadOctets: payload.length }
          const frame = new RawFrame(header, encodeHeader(header).subarray(0, AAD_OCTETS), [payload])
          try {
            expect(typeof ends().receiver.open(frame, 0)).toBe('string')
          } catch (error) {
            expect(error).toBeInstanceOf(NpampError)
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('KEY_UPDATE', () => {
  it(`${requirement('REC-015', 'REC-016', 'REC-013')} is the last frame under the old key; then sequence 0 under a new one`, () => {
    const { sender, receiver } = ends()
    expect(receiver.open(parse(sealed(sender, BRIDGE, 0x0100, body('old'))), 0)).toEqual(body('old'))
    const control = sealed(sender, CONTROL, PING, body('c'))
    const out: Uint8Array[] = []
    sender.sealKeyUpdate(BRIDGE, 0, out)
    const update = parse(concatOctets(out))

    expect(update.header.sequence).toBe(1n)
    expect(receiver.open(update, 0)).toEqual(Uint8Array.from([0, 0x17, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]))
    expect(receiver.nextEpoch(BRIDGE, 0)).toBe(1n)
    receiver.enterNextEpoch(BRIDGE, 0)
    const next = parse(sealed(sender, BRIDGE, 0x0100, body('new')))
    expect(next.header.sequence).toBe(0n)
    expect(receiver.open(next, 0)).toEqual(body('new'))
    expect(sender.epochOf(BRIDGE)).toBe(1n)
    // The other channel went on as it was.
    expect(receiver.open(parse(control), 0)).toEqual(body('c'))
    expect(sender.epochOf(CONTROL)).toBe(0n)
  })

  it(`${requirement('REC-016')} a receiver that did not follow cannot open the new epoch`, () => {
    const { sender, receiver } = ends()
    sender.sealKeyUpdate(BRIDGE, 0, [])
    expect(() => receiver.open(parse(sealed(sender, BRIDGE, 0x0100, body('x'))), 0)).toThrow(AuthenticationError)
  })

  it(`${requirement('REC-017', 'REC-021')} the retired epoch's keys are wiped`, () => {
    const { provider, keysWiped } = watched()
    const { sender } = ends({}, provider)
    sealed(sender, BRIDGE, 0x0100, body('x'))
    expect(keysWiped()).toBe(0)
    sender.sealKeyUpdate(BRIDGE, 0, [])
    expect(keysWiped()).toBe(1)
  })
})

describe('limits of a key', () => {
  it.each([
    ['frames', limits({ frames: 4 }), 0],
    ['octets', limits({ octets: 4 * (16 + 1) }), 0],
    ['age', limits({ ageMs: 4 }), 1],
  ] as const)(
    `${requirement('REC-011')} by %s: due at the start bound, refused at the hard stop`,
    (_by, bound, step) => {
      const { sender } = ends({ limits: bound })
      let now = 0
      const due: boolean[] = []
      for (let i = 0; i < 4; i++, now += step) {
        due.push(sender.updateDue(BRIDGE, now))
        sealed(sender, BRIDGE, 0x0100, body('x'), now)
      }
      expect(due).toEqual([false, false, true, true])
      expect(sender.exhausted(BRIDGE, now)).toBe(true)
      expect(() => sealed(sender, BRIDGE, 0x0100, body('x'), now)).toThrow(LimitError)
      // REC-010: only the KEY_UPDATE itself goes on, and with it everything else.
      sender.sealKeyUpdate(BRIDGE, now, [])
      expect(sender.updateDue(BRIDGE, now)).toBe(false)
      sealed(sender, BRIDGE, 0x0100, body('x'), now)
    },
  )

  it(`${requirement('REC-010')} no two frames ever share a key and a sequence, however long it goes on`, () => {
    const { sender } = ends({ limits: limits({ frames: 8 }) })
    const seen = new Set<string>()
    for (let i = 0; i < 200; i++) {
      if (sender.updateDue(BRIDGE, 0)) sender.sealKeyUpdate(BRIDGE, 0, [])
      const frame = parse(sealed(sender, BRIDGE, 0x0100, body('x')))
      seen.add(`${sender.epochOf(BRIDGE)}/${frame.header.sequence}`)
    }
    expect(seen.size).toBe(200)
  })

  it('an unused channel is never due', () => {
    const { sender } = ends({ limits: limits({ ageMs: 2 }) })
    expect(sender.updateDue(BRIDGE, 1_000)).toBe(false)
    expect(sender.exhausted(BRIDGE, 1_000)).toBe(false)
  })

  it(`${requirement('REC-011', 'OWN-014')} a receiver cuts off a peer at twice its hard stop`, () => {
    const { sender } = ends()
    const { receiver } = ends({ limits: limits({ frames: 2 }) })
    for (let i = 0; i < 4; i++) {
      expect(receiver.open(parse(sealed(sender, BRIDGE, 0x0100, body('x'))), 0)).toEqual(body('x'))
    }
    const tooMuch = parse(sealed(sender, BRIDGE, 0x0100, body('x')))
    expect(() => receiver.open(tooMuch, 0)).toThrow(expect.objectContaining({ code: 'KEY_LIMIT' }))
  })

  it(`${requirement('OWN-014')} it does so by octets as well`, () => {
    const { sender } = ends()
    const { receiver } = ends({ limits: limits({ octets: 50 }) })
    const big = () => parse(sealed(sender, BRIDGE, 0x0100, new Uint8Array(100)))
    receiver.open(big(), 0)
    expect(() => receiver.open(big(), 0)).toThrow(expect.objectContaining({ code: 'KEY_LIMIT' }))
  })
})

describe('diversification', () => {
  const MASTER_48 = Uint8Array.from({ length: 48 }, (_, index) => 0x40 + index)

  function sealedSuites(profile: ProfileCode, master: Uint8Array): number[] {
    const { provider, suitesUsed } = watched()
    const { sender, receiver } = ends({ profile }, provider, master)
    for (let i = 0; i < 4; i++) {
      const frame = parse(sealed(sender, BRIDGE, 0x0100, body(`${i}`)))
      expect(receiver.open(frame, 0)).toEqual(body(`${i}`))
    }
    return suitesUsed()
  }

  it(`${requirement('REC-018', 'REC-019')} alternates the suites at High, with keys of their own, and never at Standard`, () => {
    const { AES_256_GCM: aes, CHACHA20_POLY1305: chacha } = AEAD
    expect(sealedSuites(PROFILE.STANDARD, MASTER)).toEqual([aes, aes, aes, aes])
    expect(sealedSuites(PROFILE.HIGH, MASTER_48)).toEqual([aes, chacha, aes, chacha])
  })

  it(`${requirement('REC-017', 'REC-020', 'REC-021')} wipes the keys of both suites, at an update and at the end`, () => {
    const { provider, keysWiped } = watched()
    const { sender } = ends({ profile: PROFILE.HIGH }, provider, MASTER_48)
    sealed(sender, BRIDGE, 0x0100, body('x'))
    sender.sealKeyUpdate(BRIDGE, 0, [])
    expect(keysWiped()).toBe(2)
    sender.wipe()
    expect(keysWiped()).toBe(4)
  })
})

describe('ratchet', () => {
  it(`${requirement('REC-025', 'REC-028')} a step wipes every key of the direction; channels restart at epoch 0, sequence 0`, () => {
    const { provider, keysWiped } = watched()
    const { sender } = ends({}, provider)
    const { receiver } = ends()
    for (const channel of [CONTROL, BRIDGE]) receiver.open(parse(sealed(sender, channel, PING, body('x'))), 0)
    const update: Uint8Array[] = []
    sender.sealKeyUpdate(BRIDGE, 0, update)
    receiver.open(parse(concatOctets(update)), 0)
    receiver.enterNextEpoch(BRIDGE, 0)
    const before = keysWiped()

    sender.advance((root) => root.ratchet())
    receiver.advance((root) => root.ratchet())

    expect(keysWiped() - before).toBe(2)
    expect([sender.generation, receiver.generation]).toEqual([1n, 1n])
    expect(sender.epochOf(BRIDGE)).toBe(0n)
    const frame = parse(sealed(sender, BRIDGE, 0x0100, body('new')))
    expect(frame.header.sequence).toBe(0n)
    expect(receiver.open(frame, 0)).toEqual(body('new'))
  })

  it(`${requirement('REC-043')} the two directions move independently`, () => {
    const { sender } = ends()
    const { receiver: untouched } = ends()
    sender.advance((root) => root.ratchet())
    expect(untouched.generation).toBe(0n)
    expect(() => untouched.open(parse(sealed(sender, BRIDGE, 0x0100, body('x'))), 0)).toThrow(AuthenticationError)
  })
})

describe('wipe', () => {
  it(`${requirement('REC-020')} ends every key and the root; any use afterwards is a typed error`, () => {
    const { provider, keysWiped } = watched()
    const { sender, receiver } = ends({}, provider)
    const frame = parse(sealed(sender, BRIDGE, 0x0100, body('x')))
    receiver.open(frame, 0)
    sender.wipe()
    receiver.wipe()
    expect(keysWiped()).toBe(2)
    expect(() => sealed(sender, BRIDGE, 0x0100, body('x'))).toThrow(ClosedError)
    expect(() => sealed(sender, CONTROL, PING, body('x'))).toThrow(ClosedError)
    expect(() => receiver.open(frame, 0)).toThrow(ClosedError)
    expect(() => sender.advance((root) => root.ratchet())).toThrow(ClosedError)
  })
})

/** The node provider, with its AEAD keys watched. */
function watched(): { provider: CryptoProvider; keysWiped: () => number; suitesUsed: () => number[] } {
  let wiped = 0
  const suites: number[] = []
  const provider: CryptoProvider = Object.create(node)
  provider.aead = (suite, key) => {
    const real = node.aead(suite, key)
    return {
      seal: (...input) => {
        suites.push(suite)
        return real.seal(...input)
      },
      open: (...input) => real.open(...input),
      wipe: () => {
        wiped += 1
        real.wipe()
      },
    }
  }
  return { provider, keysWiped: () => wiped, suitesUsed: () => suites }
}
