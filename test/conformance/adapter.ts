/**
 * The conformance adapter: one request at a time on standard input, one answer on standard output, each a u32
 * little-endian length and that many octets of JSON. It translates names and hex, and computes nothing itself.
 */
import { readSync, writeSync } from 'node:fs'
import * as npamp from '@causeway/npamp'

type Input = Record<string, unknown>
type Output = Record<string, unknown>

const provider = npamp.nobleProvider({ random: (length) => crypto.getRandomValues(new Uint8Array(length)) })

const OPERATIONS: Readonly<Record<string, (input: Input) => Output>> = {
  'header.decode': (input) => {
    const octets = bytes(input, 'frame')
    const header = npamp.decodeHeader(octets)
    return {
      magic: new TextDecoder().decode(octets.subarray(0, 4)),
      ver: (octets[4] ?? 0) >>> 4,
      flags: header.flags,
      frameType: header.type,
      channel: header.channel,
      seq: Number(header.sequence),
      payloadLength: header.payloadOctets,
      crc32c: hex(octets.subarray(21, 25)),
      reservedZero: true,
    }
  },
  'header.encode': (input) => ({ frame: hex(npamp.encodeHeader(headerOf(input, number(input, 'payloadLength')))) }),
  crc32c: (input) => {
    const octets = bytes(input, 'octets')
    return { crc32c: npamp.crc32c(octets, 0, octets.length).toString(16).padStart(8, '0') }
  },
  'tlv.decode': (input) => {
    const [tlv] = npamp.decodeTlvs(bytes(input, 'tlv'), npamp.isKnownTlv)
    return tlv === undefined ? {} : { type: tlv.type, length: tlv.value.length, value: hex(tlv.value) }
  },
  'tlv.encode': (input) => ({
    tlv: hex(npamp.encodeTlvs([{ type: number(input, 'type'), value: bytes(input, 'value') }])),
  }),
  'aead.seal': (input) => ({ sealed: seal(input, bytes(input, 'nonce'), bytes(input, 'aad')) }),
  'aead.open': (input) => ({ pt: open(input, bytes(input, 'nonce'), bytes(input, 'aad')) }),
  'hkdf.expand': (input) => ({
    okm: hex(provider.hkdfExpand(hashOf(input), bytes(input, 'prk'), bytes(input, 'info'), number(input, 'length'))),
  }),
  'hkdf.expand_label': (input) => {
    const context = bytes(input, 'context')
    const length = number(input, 'length')
    return {
      out: hex(
        npamp.hkdfExpandLabel(provider, hashOf(input), bytes(input, 'secret'), text(input, 'label'), context, length),
      ),
    }
  },
  'profile.check': (input) => {
    if (!npamp.permitsKem(profileOf(input).code, named(npamp.KEM, text(input, 'kem'))))
      throw new Error('the profile forbids this KEM')
    return {}
  },
  // These two vector families bind the bare plaintext length instead of the length on the wire (digest 01 section 2).
  'frame.seal': (input) => ({ sealed: seal(input, frameNonce(input), frameAad(input, bytes(input, 'pt').length)) }),
  'frame.open': (input) => ({
    pt: open(input, frameNonce(input), frameAad(input, bytes(input, 'sealed').length - 16)),
  }),
  'nonce.derive': (input) => ({ nonce: hex(npamp.deriveNonce(bytes(input, 'iv'), BigInt(text(input, 'seq')))) }),
  'keys.derive_traffic': (input) => {
    const { key, iv } = npamp.deriveTrafficMaterial(provider, profileOf(input).hash, bytes(input, 'master'), {
      direction: number(input, 'dir') as npamp.Direction,
      epoch: BigInt(number(input, 'epoch')),
      suite: number(input, 'suite') as npamp.AeadSuite,
      channel: number(input, 'channel'),
    })
    return { key: hex(key), iv: hex(iv) }
  },
  'bridge.envelope.decode': (input) =>
    fieldsOf(npamp.decodePayload(bytes(input, 'payload'), number(input, 'frameType'))),
  'bridge.envelope.encode': (input) => {
    const fields = input.fields as Input
    const safety = fields.safety as { effect: number; scope: string } | null
    const envelope = {
      protocolId: number(fields, 'protocol_id'),
      kind: number(fields, 'message_kind'),
      contentType: number(fields, 'content_type'),
      flags: number(fields, 'flags'),
      correlationId: bytes(fields, 'corr'),
      method: text(fields, 'method'),
    }
    const parts = { envelope, label: safety ?? undefined, extensions: new Map(), foreign: bytes(fields, 'foreign') }
    return { payload: npamp.encodePayload(parts).map(hex).join('') }
  },
  'bridge.correlate': (input) => {
    const payload = (which: string) =>
      npamp.decodePayload(bytes(input, `${which}Payload`), number(input, `${which}FrameType`))
    return { match: npamp.correlates(payload('request'), payload('reply')) }
  },
}

function fieldsOf({ envelope, label, foreign }: npamp.BridgePayload): Output {
  return {
    protocol_id: envelope.protocolId,
    message_kind: envelope.kind,
    content_type: envelope.contentType,
    flags: envelope.flags,
    final: npamp.isFinal(envelope),
    corr: hex(envelope.correlationId),
    method: envelope.method,
    safety: label === undefined ? null : { effect: label.effect, scope: label.scope },
    foreign: hex(foreign),
  }
}

function seal(input: Input, nonce: Uint8Array, aad: Uint8Array): string {
  return provider
    .aead(suiteOf(input), bytes(input, 'key'))
    .seal(nonce, aad, [bytes(input, 'pt')])
    .map(hex)
    .join('')
}

function open(input: Input, nonce: Uint8Array, aad: Uint8Array): string {
  const plaintext = provider.aead(suiteOf(input), bytes(input, 'key')).open(nonce, aad, [bytes(input, 'sealed')])
  if (plaintext === undefined) throw new Error('the tag does not verify')
  return hex(plaintext)
}

function frameNonce(input: Input): Uint8Array {
  return npamp.deriveNonce(bytes(input, 'iv'), BigInt(number(input, 'seq')))
}

function frameAad(input: Input, payloadOctets: number): Uint8Array {
  return npamp.encodeHeader(headerOf(input, payloadOctets)).subarray(0, npamp.AAD_OCTETS)
}

function headerOf(input: Input, payloadOctets: number) {
  if (number(input, 'ver') !== 2) throw new Error('only wire version 2 is written')
  const flags = number(input, 'flags')
  return {
    flags,
    type: number(input, 'frameType'),
    channel: number(input, 'channel'),
    sequence: BigInt(number(input, 'seq')),
    payloadOctets,
  }
}

const SUITES = { 'AES-256-GCM': npamp.AEAD.AES_256_GCM, 'ChaCha20-Poly1305': npamp.AEAD.CHACHA20_POLY1305 }
const suiteOf = (input: Input): npamp.AeadSuite => named(SUITES, text(input, 'suite'))
const hashOf = (input: Input): npamp.HashName =>
  named({ sha256: 'sha256', sha384: 'sha384' } as const, text(input, 'hash'))
const PROFILE_BY_NAME = Object.fromEntries(Object.values(npamp.PROFILES).map((one) => [one.name, one]))
const profileOf = (input: Input) => named(PROFILE_BY_NAME, text(input, 'profile'))

function named<T>(table: Readonly<Record<string, T>>, name: string): T {
  const value = table[name]
  if (value === undefined) throw new Error(`unknown name ${name}`)
  return value
}

function text(input: Input, name: string): string {
  const value = input[name]
  if (typeof value !== 'string') throw new Error(`${name} is not a string`)
  return value
}

function number(input: Input, name: string): number {
  const value = input[name]
  if (typeof value !== 'number') throw new Error(`${name} is not a number`)
  return value
}

const bytes = (input: Input, name: string): Uint8Array => new Uint8Array(Buffer.from(text(input, name), 'hex'))
const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex')

function readExactly(length: number): Buffer | undefined {
  const octets = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    const got = readSync(0, octets, at, length - at, null)
    if (got === 0) return undefined
    at += got
  }
  return octets
}

function answer(op: string, input: Input): Output {
  const operation = OPERATIONS[op]
  if (operation === undefined) return { skipped: `no operation ${op}` }
  try {
    return { out: operation(input) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

for (let head = readExactly(4); head !== undefined; head = readExactly(4)) {
  const request = JSON.parse((readExactly(head.readUInt32LE(0)) ?? '').toString()) as { op: string; in: Input }
  const body = Buffer.from(JSON.stringify(answer(request.op, request.in)))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  writeSync(1, Buffer.concat([length, body]))
}
