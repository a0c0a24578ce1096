import { CONTROL, ENC, HEADER_OCTETS, withFreshCrc } from './frames.ts'

/** A change to a frame, and what it has to come to at whoever receives it. */
type Change = readonly [what: string, reason: string, change: (octets: Buffer) => Buffer]

const flip = (what: string, at: number, reason: string): Change => [
  what,
  reason,
  (octets) => {
    const index = at < 0 ? octets.length + at : at
    octets.writeUInt8(octets.readUInt8(index) ^ 0x01, index)
    return octets
  },
]

/** With a CRC that fits. */
const forged = (what: string, reason: string, change: (octets: Buffer) => unknown): Change => [
  what,
  reason,
  (octets) => {
    change(octets)
    return withFreshCrc(octets)
  },
]

const TYPE_AT = 5
const CHANNEL_AT = 7
const SEQUENCE_AT = 9
export const LENGTH_AT = 17
const CLOSE = 0x0003

/** Such a frame ends the association. */
export const FATAL: readonly Change[] = [
  flip('its magic', 0, 'bad_crc'),
  flip('its flags', 4, 'bad_crc'),
  flip('its type', TYPE_AT + 1, 'bad_crc'),
  flip('its channel', CHANNEL_AT + 1, 'bad_crc'),
  flip('its sequence', SEQUENCE_AT + 7, 'bad_crc'),
  flip('its length', LENGTH_AT + 3, 'bad_crc'),
  flip('its CRC', 24, 'bad_crc'),
  flip('its first reserved octet', 25, 'reserved_not_zero'),
  flip('its last reserved octet', 35, 'reserved_not_zero'),
  flip('the first octet of its payload', HEADER_OCTETS, 'tag'),
  flip('an octet inside its payload', HEADER_OCTETS + 40, 'tag'),
  flip('the first octet of its tag', -16, 'tag'),
  flip('the last octet of its tag', -1, 'tag'),
  forged('its magic, with a CRC that fits', 'bad_magic', (octets) => octets.write('n')),
  forged('its version, with a CRC that fits', 'bad_version', (octets) => octets.writeUInt8(0x12, 4)),
  forged('its type, with a CRC that fits', 'tag', (octets) => octets.writeUInt16BE(0x0103, TYPE_AT)),
  forged('URG, with a CRC that fits', 'tag', (octets) => octets.writeUInt8(0x23, 4)),
  forged('its sequence upwards, with a CRC that fits', 'sequence_gap', (octets) =>
    octets.writeBigUInt64BE(octets.readBigUInt64BE(SEQUENCE_AT) + 1n, SEQUENCE_AT),
  ),
  forged('its length downwards, with a CRC that fits', 'tag', (octets) =>
    octets.writeUInt32BE(octets.readUInt32BE(LENGTH_AT) - 1, LENGTH_AT),
  ),
]

/** Such a frame is ignored, as the rules of the wire have it; that it is missing shows with the next one. */
export const IGNORED: readonly Change[] = [
  forged('ENC away', 'not_sealed', (octets) => octets.writeUInt8(0x20, 4)),
  forged('another channel', 'channel', (octets) => octets.writeUInt16BE(0x000c, CHANNEL_AT)),
  forged('a GREASE channel', 'grease', (octets) => octets.writeUInt16BE(0xf00d, CHANNEL_AT)),
  forged('a past sequence', 'replay', (octets) => octets.writeBigUInt64BE(0n, SEQUENCE_AT)),
  forged('the type of CLOSE', 'forged_close', (octets) => octets.writeUInt16BE(CLOSE, TYPE_AT)),
  forged('no room for a tag', 'short', (octets) => octets.writeUInt32BE(15, LENGTH_AT)),
]

/** Everything about it is right but its tag. */
export function forgedClose(sequence: bigint): Buffer {
  const octets = Buffer.alloc(HEADER_OCTETS + 24, 0)
  octets.write('NPAM')
  octets.writeUInt8(0x20 | ENC, 4)
  octets.writeUInt16BE(CLOSE, TYPE_AT)
  octets.writeUInt16BE(CONTROL, CHANNEL_AT)
  octets.writeBigUInt64BE(sequence, SEQUENCE_AT)
  octets.writeUInt32BE(24, LENGTH_AT)
  return withFreshCrc(octets)
}
