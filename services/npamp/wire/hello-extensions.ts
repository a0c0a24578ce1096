import type { PeerExtensions } from '../association/contract.ts'
import { isAnnounceableTlv } from '../codepoints/tlv-types.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { type CborValue, PayloadMap } from './cbor.ts'

/** Version of the extension map that we speak (CARRIAGE section 1). */
export const EXTENSION_VERSION = 1
const MIN_ANNOUNCED_FRAME_OCTETS = 65_536
const BOOT_ID_OCTETS = 8
/** No frame can be larger: header and the largest Payload Length. */
const MAX_ANNOUNCED_FRAME_OCTETS = 36 + 0xffff_ffff
const REPLICA = /^[a-z0-9.-]{1,63}$/

/** Throws MisuseError ARGUMENT for what a peer would take for malformed. */
export function encodeExtensionMap(extensions: PeerExtensions): CborValue {
  const types = [...extensions.tlvTypes].sort((a, b) => a - b)
  const fault = whyMalformed(extensions, types)
  if (fault !== undefined) throw new MisuseError('ARGUMENT', `extension map ${fault}`)
  return new Map<CborValue, CborValue>([
    [KEY.VERSION, BigInt(extensions.version)],
    [KEY.MAX_FRAME, BigInt(extensions.maxFrameOctets)],
    [KEY.TLV_TYPES, types.map(BigInt)],
    [KEY.REPLICA, extensions.replica],
    [KEY.BOOT_ID, extensions.bootId],
  ])
}

/**
 * Throws MalformedError HELLO. Key 1 may be absent: `defaultMaxFrameOctets` stands then. A map of a later version may
 * list types that version 1 does not know; they are left out.
 */
export function decodeExtensionMap(value: CborValue, defaultMaxFrameOctets: number): PeerExtensions {
  const map = new PayloadMap(value, 'extension map', 'HELLO')
  const version = map.uint(KEY.VERSION, 'version')
  const types = map.uints(KEY.TLV_TYPES, 'TLV types').map(Number)
  const extensions: PeerExtensions = {
    version,
    maxFrameOctets: map.has(KEY.MAX_FRAME)
      ? Math.min(map.uint(KEY.MAX_FRAME, 'largest frame'), MAX_ANNOUNCED_FRAME_OCTETS)
      : defaultMaxFrameOctets,
    tlvTypes: new Set(version > EXTENSION_VERSION ? types.filter(isAnnounceableTlv) : types),
    replica: map.text(KEY.REPLICA, 'replica name'),
    bootId: map.octets(KEY.BOOT_ID, 'boot id', BOOT_ID_OCTETS, BOOT_ID_OCTETS),
  }
  const fault = whyMalformed(extensions, types)
  if (fault !== undefined) throw new MalformedError('HELLO', `extension map ${fault}`)
  return extensions
}

const KEY = { VERSION: 0n, MAX_FRAME: 1n, TLV_TYPES: 2n, REPLICA: 3n, BOOT_ID: 4n } as const

function whyMalformed(extensions: PeerExtensions, types: readonly number[]): string | undefined {
  const { version, maxFrameOctets, tlvTypes, replica, bootId } = extensions
  if (version < 1) return 'has version 0'
  if (maxFrameOctets < MIN_ANNOUNCED_FRAME_OCTETS) return `has a largest frame below ${MIN_ANNOUNCED_FRAME_OCTETS}`
  if (types.some((type, index) => index > 0 && type <= (types[index - 1] ?? 0))) return 'lists TLV types out of order'
  if (![...tlvTypes].every(isAnnounceableTlv)) return 'lists a TLV type that is no extension'
  if (!REPLICA.test(replica)) return 'has a replica name other than [a-z0-9.-]{1,63}'
  if (bootId.length !== BOOT_ID_OCTETS) return `has a boot id of ${bootId.length} octets`
  return undefined
}
