import {
  type CborValue,
  decodeCbor,
  encodeCbor,
  type LinkMessage,
  signSuccessor,
  verifySuccessor,
} from '@causeway/npamp'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import { decodeSpki, encodeSpki } from '../../services/npamp/discovery/public-key.ts'
import { decodeClientHello, encodeClientHello } from '../../services/npamp/handshake/client-hello.ts'
import { decodeServerHello, encodeServerHello } from '../../services/npamp/handshake/server-hello.ts'
import { decodeClose, decodeCloseLeniently, encodeClose } from '../../services/npamp/wire/close.ts'
import { Deframer } from '../../services/npamp/wire/deframer.ts'
import { decodeError, encodeError } from '../../services/npamp/wire/error.ts'
import { decodeFlowUpdate, encodeFlowUpdate } from '../../services/npamp/wire/flow-update.ts'
import { decodeHeader, encodeHeader, HEADER_OCTETS } from '../../services/npamp/wire/header.ts'
import { decodeHello, encodeHello } from '../../services/npamp/wire/hello.ts'
import { decodeKeyUpdate, encodeKeyUpdate } from '../../services/npamp/wire/key-update.ts'
import { decodeLink, encodeLink } from '../../services/npamp/wire/link.ts'
import {
  decodePathChallenge,
  decodePathResponse,
  encodePathChallenge,
  encodePathResponse,
} from '../../services/npamp/wire/path.ts'
import { decodePing, encodePing } from '../../services/npamp/wire/ping.ts'
import {
  decodeMasterRatchet,
  decodeRekem,
  decodeRekemAck,
  encodeMasterRatchet,
  encodeRekem,
  encodeRekemAck,
} from '../../services/npamp/wire/ratchet.ts'
import { decodeTlvs, encodeTlvs } from '../../services/npamp/wire/tlv.ts'
import { FuzzFault, mustEqual, type Target } from './target.ts'

const octetsOf = (length: number, value = 7) => new Uint8Array(length).fill(value)

const PING_HEADER = encodeHeader({ flags: 0, type: 1, channel: 0, sequence: 0n, payloadOctets: 0 })
const MAX_FRAME_OCTETS = 65_536
const CLIENT_HELLO = encodeClientHello({
  offer: { profiles: [1], kems: [0x11ec], signatures: [0x0807], aeads: [1, 2] },
  share: octetsOf(1216),
})
const SERVER_HELLO = encodeServerHello({
  selected: { profile: 1, kem: 0x11ec, signature: 0x0807, aead: 1 },
  ciphertext: octetsOf(1120),
})
const LINK_MESSAGES: readonly LinkMessage[] = [
  { op: 'sessionEnd', session: octetsOf(16), reason: 3 },
  { op: 'drain' },
  { op: 'successor', statement: octetsOf(40) },
]
const HELLO = encodeHello(
  {
    version: 1,
    protocols: [1, 2],
    extensions: { version: 1, maxFrameOctets: 65_536, tlvTypes: new Set([0x4352]), replica: 'a', bootId: octetsOf(8) },
  },
  [0x7a7a],
)
const CBOR_SAMPLES: readonly CborValue[] = [
  new Map<CborValue, CborValue>([
    [0n, [1n, -1n, 'text', octetsOf(3)]],
    [24n, new Map<CborValue, CborValue>([[1n, true]])],
  ]),
]

const PROVIDER = nodeProvider()
const [CURRENT, NEXT] = [PROVIDER.signingKey(0x0807, octetsOf(32, 1)), PROVIDER.signingKey(0x0807, octetsOf(32, 2))]
const SUCCESSOR = signSuccessor({ notBeforeS: 100, notAfterS: 200 }, CURRENT, NEXT, PROVIDER)

/** A codec whose every valid encoding is the only one. */
function exact<T>(
  name: string,
  decode: (octets: Uint8Array) => T,
  encode: (value: T) => Uint8Array,
  ...samples: Uint8Array[]
): Target {
  return { name, samples, run: (octets) => mustEqual(encode(decode(octets)), octets, name) }
}

function lenient(name: string, decode: (octets: Uint8Array) => unknown, ...samples: Uint8Array[]): Target {
  return { name, samples, run: (octets) => void decode(octets) }
}

export const WIRE_TARGETS: readonly Target[] = [
  {
    name: 'header',
    samples: [PING_HEADER],
    run(octets) {
      const header = decodeHeader(octets)
      mustEqual(encodeHeader(header), octets.subarray(0, HEADER_OCTETS), 'header')
    },
  },
  {
    name: 'deframer',
    samples: [PING_HEADER, Buffer.concat([PING_HEADER, PING_HEADER])],
    run(octets) {
      const deframer = new Deframer({ maxFrameOctets: MAX_FRAME_OCTETS })
      for (let at = 0; at < octets.length; at += 7) {
        deframer.push(octets.subarray(at, at + 7))
        while (deframer.next() !== undefined);
        if (deframer.heldOctets > MAX_FRAME_OCTETS + 7) throw new FuzzFault('the deframer holds more than a frame')
      }
    },
  },
  lenient('tlv', (octets) => decodeTlvs(octets, () => true), encodeTlvs([{ type: 1, value: octetsOf(5) }])),
  exact('cbor', decodeCbor, encodeCbor, ...CBOR_SAMPLES.map(encodeCbor)),
  lenient('hello', decodeHello, HELLO),
  {
    name: 'link',
    samples: LINK_MESSAGES.map(encodeLink),
    run: (octets) => {
      const message = decodeLink(octets)
      if (message !== undefined) encodeLink(message)
    },
  },
  lenient('close', (octets) => encodeClose(decodeClose(octets)), encodeClose({ code: 1, reason: 'going away' })),
  lenient('close, whatever its body', decodeCloseLeniently, encodeClose({ code: 0, reason: '' })),
  exact('error', decodeError, encodeError, encodeError({ code: 2, refType: 9, refSequence: 4n, message: 'unknown' })),
  exact('ping', decodePing, encodePing, octetsOf(8)),
  exact('key update', decodeKeyUpdate, encodeKeyUpdate, encodeKeyUpdate(1n)),
  exact('master ratchet', decodeMasterRatchet, encodeMasterRatchet, encodeMasterRatchet(1n)),
  exact('rekem', decodeRekem, encodeRekem, encodeRekem({ generation: 1n, material: octetsOf(1216) })),
  exact('rekem ack', decodeRekemAck, encodeRekemAck, encodeRekemAck({ generation: 1n, material: octetsOf(1120) })),
  exact('path challenge', decodePathChallenge, encodePathChallenge, encodePathChallenge(octetsOf(32))),
  exact('path response', decodePathResponse, encodePathResponse, encodePathResponse(octetsOf(64))),
  exact('flow update', decodeFlowUpdate, encodeFlowUpdate, encodeFlowUpdate(1n)),
  exact('client hello', decodeClientHello, encodeClientHello, CLIENT_HELLO),
  exact('server hello', decodeServerHello, encodeServerHello, SERVER_HELLO),
  {
    name: 'successor statement',
    samples: [SUCCESSOR],
    run(octets) {
      const { next, notBeforeS, notAfterS } = verifySuccessor(octets, {
        current: CURRENT,
        nowS: 150,
        provider: PROVIDER,
      })
      mustEqual(next.publicKey, NEXT.publicKey, 'successors')
      if (notBeforeS !== 100 || notAfterS !== 200) throw new FuzzFault('a span that nobody signed was believed')
    },
  },
  exact('public key', decodeSpki, encodeSpki, encodeSpki({ scheme: 0x0807, publicKey: octetsOf(32) })),
]
