import { CHANNEL } from '../../codepoints/channels.ts'
import { CONTROL_FRAME } from '../../codepoints/frame-types.ts'
import { PROFILES } from '../../codepoints/profiles.ts'
import { AuthenticationError, MisbehavedError, NpampError } from '../../errors.ts'
import { rekemTranscriptHash } from '../../keys/rekem-transcript.ts'
import { decodeMasterRatchet, decodeRekem, encodeMasterRatchet, encodeRekemAck } from '../../wire/ratchet.ts'
import type { Live } from '../live.ts'
import { sealFrame } from '../seal-frame.ts'
import { required } from './body.ts'
import type { FrameHandler } from './handler.ts'

/** Tier 1 of the peer's sending direction: that was the last frame of the old generation (digest 03 8.3, REC-037). */
export const onMasterRatchet: FrameHandler = (live, _header, payload, now) => {
  if (!live.rates.allow('masterRatchet', now)) {
    throw new MisbehavedError('RATE', 'more than 10 MASTER_RATCHET in a second')
  }
  const generation = required(decodeMasterRatchet, payload, ratchetFault)
  const expected = live.receiver.generation + 1n
  // REC-039, REC-041: on a skew nothing advances.
  if (generation !== expected) throw ratchetFault(`MASTER_RATCHET to generation ${generation} instead of ${expected}`)
  live.receiver.advance((root) => root.ratchet())
  live.counters.ratchetsReceived += 1
  live.reply(CHANNEL.CONTROL, CONTROL_FRAME.MASTER_RATCHET_ACK, encodeMasterRatchet(generation))
  return undefined
}

/** Answers a MASTER_RATCHET; we have sent none, and it would be information only (digest 03 8.2). */
export const onMasterRatchetAck: FrameHandler = (live) => {
  live.drop('ratchet_ack')
  return undefined
}

/**
 * Tier 2 as responder (digest 03 8.4): heals the direction that we send. REKEM_ACK is sealed here and now, as the last
 * frame of the old generation (REC-038); everything sealed later is of the new one.
 */
export const onRekem: FrameHandler = (live, _header, payload, now) => {
  if (!live.rates.allow('rekem', now)) throw new MisbehavedError('REKEM_RATE', 'more than one REKEM in 10 s')
  const request = required(decodeRekem, payload, ratchetFault)
  if (live.closeSealed) return undefined
  if (request.generation !== live.sender.generation + 1n) {
    live.drop('stale_rekem')
    return undefined
  }
  const encapsulated = encapsulate(live, request.material)
  if (encapsulated === undefined) {
    live.drop('damaged_rekem')
    return undefined
  }
  const { ciphertext, secret } = encapsulated
  const { generation, material } = request
  const hash = PROFILES[live.info.profile].hash
  const thRekem = rekemTranscriptHash(live.provider, hash, material, ciphertext, generation)
  const ack = encodeRekemAck({ material: ciphertext, generation })
  if (sealFrame(live, CHANNEL.CONTROL, CONTROL_FRAME.REKEM_ACK, [ack], now, live.outbox) === undefined) {
    secret.fill(0)
    live.drop('rekem_while_exhausted')
    return undefined
  }
  live.sender.advance((root) => root.rekem(secret, thRekem))
  live.counters.ratchetsReceived += 1
  return undefined
}

/** The responder has advanced although we asked for nothing: its next frame could not be opened (REC-040). */
export const onRekemAck: FrameHandler = () => {
  throw ratchetFault('REKEM_ACK without a REKEM')
}

/** Undefined for a share that is damaged or of low order, on which a responder stays silent (digest 03 8.4, REC-042). */
function encapsulate(live: Live, share: Uint8Array): { ciphertext: Uint8Array; secret: Uint8Array } | undefined {
  try {
    return live.provider.encapsulate(live.info.kem, share)
  } catch (error) {
    if (error instanceof AuthenticationError) return undefined
    if (error instanceof NpampError) throw ratchetFault(error.message) // REC-033: wrong length for the KEM
    throw error
  }
}

function ratchetFault(message: string): MisbehavedError {
  return new MisbehavedError('RATCHET', message)
}
