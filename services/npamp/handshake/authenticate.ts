import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { TLV } from '../codepoints/tlv-types.ts'
import type { SigningKey } from '../crypto/provider.ts'
import { SIGNATURE_LAYOUT } from '../crypto/signature-layout.ts'
import { MalformedError } from '../errors.ts'
import type { HandshakeTraffic } from '../keys/schedule.ts'
import type { RawFrame } from '../wire/deframer.ts'
import { decodeExactTlvs, encodeTlvs } from '../wire/tlv.ts'
import { type Sender, signCertificateVerify, verifyCertificateVerify } from './certificate-verify.ts'
import { finishedMac, verifyFinished } from './finished.ts'
import { expectSealedFrame, sealedFrame } from './frames.ts'
import type { KeyedHandshake } from './keyed-handshake.ts'

/** AUTH frames of both roles: the same three TLVs, the same points of one transcript, mirrored. */

const AUTH_FRAME: Readonly<Record<Sender, number>> = {
  client: CONTROL_FRAME.CLIENT_AUTH,
  server: CONTROL_FRAME.SERVER_AUTH,
}

/** Exactly these, in this order (HS-005). Finished travels in here, never in a frame of its own (HS-010). */
const LAYOUT = [TLV.IDENTITY_KEY, TLV.CERT_VERIFY, TLV.FINISHED] as const

/**
 * Our AUTH frame, whole and sealed. Absorbs its type and TLVs.
 *
 * @returns `thCv`: TH_sCV of a server, TH_cCV of a client.
 */
export function writeAuth(
  handshake: KeyedHandshake,
  sender: Sender,
  identity: SigningKey,
): { frame: Uint8Array; thCv: Uint8Array } {
  const { provider, transcript, hash, selection } = handshake
  const traffic = handshake.traffic[sender]
  transcript.absorbFrameType(AUTH_FRAME[sender])
  transcript.absorbTlv(TLV.IDENTITY_KEY, identity.publicKey)
  const certVerify = signCertificateVerify(identity, sender, handshake.point())
  transcript.absorbTlv(TLV.CERT_VERIFY, certVerify)
  const thCv = handshake.point()
  const finished = withFinishedKey(traffic, (key) => finishedMac(provider, hash, key, thCv))
  transcript.absorbTlv(TLV.FINISHED, finished)
  const plaintext = encodeTlvs([
    { type: TLV.IDENTITY_KEY, value: identity.publicKey },
    { type: TLV.CERT_VERIFY, value: certVerify },
    { type: TLV.FINISHED, value: finished },
  ])
  const keys = traffic.authKeys(selection.aead)
  try {
    return { frame: sealedFrame(AUTH_FRAME[sender], keys, plaintext), thCv }
  } finally {
    keys.wipe()
  }
}

/**
 * Opens and verifies the peer's AUTH frame: tag, layout, signature, MAC, in this order. Absorbs its type and TLVs.
 *
 * @returns `peerKey`, a copy, and `thCv`: TH_sCV of a server, TH_cCV of a client.
 * @throws MisbehavedError UNEXPECTED_FRAME; AuthenticationError TAG, CERT_VERIFY, FINISHED; MalformedError.
 */
export function readAuth(
  handshake: KeyedHandshake,
  sender: Sender,
  frame: RawFrame,
): { peerKey: Uint8Array; thCv: Uint8Array } {
  const { provider, transcript, hash, selection } = handshake
  const { identityKey, certVerify, finished } = openAuth(handshake, sender, frame)
  transcript.absorbFrameType(AUTH_FRAME[sender])
  transcript.absorbTlv(TLV.IDENTITY_KEY, identityKey)
  verifyCertificateVerify(provider, {
    sender,
    scheme: selection.signature,
    publicKey: identityKey,
    transcriptHash: handshake.point(),
    value: certVerify,
  })
  transcript.absorbTlv(TLV.CERT_VERIFY, certVerify)
  const thCv = handshake.point()
  withFinishedKey(handshake.traffic[sender], (key) => verifyFinished(provider, hash, key, thCv, finished))
  transcript.absorbTlv(TLV.FINISHED, finished)
  return { peerKey: new Uint8Array(identityKey), thCv }
}

interface AuthBody {
  readonly identityKey: Uint8Array
  readonly certVerify: Uint8Array
  readonly finished: Uint8Array
}

function openAuth({ traffic, selection }: KeyedHandshake, sender: Sender, frame: RawFrame): AuthBody {
  const keys = traffic[sender].authKeys(selection.aead)
  try {
    const plaintext = expectSealedFrame(frame, AUTH_FRAME[sender], keys)
    const [identityKey = NONE, certVerify = NONE, finished = NONE] = decodeExactTlvs(plaintext, LAYOUT)
    const { publicKeyOctets } = SIGNATURE_LAYOUT[selection.signature]
    if (identityKey.length !== publicKeyOctets)
      throw new MalformedError('TLV_VALUE', `IdentityKey has ${identityKey.length} octets, not ${publicKeyOctets}`)
    return { identityKey, certVerify, finished }
  } finally {
    keys.wipe()
  }
}

function withFinishedKey<T>(traffic: HandshakeTraffic, use: (key: Uint8Array) => T): T {
  const key = traffic.finishedKey()
  try {
    return use(key)
  } finally {
    key.fill(0)
  }
}

const NONE = new Uint8Array(0)
