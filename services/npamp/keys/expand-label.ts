import type { HashName } from '../codepoints/profiles.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { LimitError, MisuseError } from '../errors.ts'
import { LABEL_PREFIX } from './labels.ts'

const MAX_VECTOR_OCTETS = 255
const MAX_LENGTH = 0xffff

/**
 * HKDF-Expand-Label of digest 02 section 5: HKDF-Expand(secret, info, length) with
 * `info = u16 length || u8 len(L) || L || u8 len(context) || context`, `L = "n-pamp " || label` (HS-035, HS-036).
 *
 * @param label ASCII, at most 248 characters.
 * @param context at most 255 octets.
 * @param length octets wanted, at most 255 * HashLen.
 * @returns fresh octets that belong to the caller.
 * @throws LimitError LENGTH when a length does not fit its field or the hash; MisuseError ARGUMENT for a label that is not ASCII.
 */
export function hkdfExpandLabel(
  provider: CryptoProvider,
  hash: HashName,
  secret: Uint8Array,
  label: string,
  context: Uint8Array,
  length: number,
): Uint8Array {
  return provider.hkdfExpand(hash, secret, hkdfLabel(label, context, length), length)
}

/** The `info` octets that `hkdfExpandLabel` expands under. */
export function hkdfLabel(label: string, context: Uint8Array, length: number): Uint8Array {
  const labelOctets = LABEL_PREFIX.length + label.length
  if (labelOctets > MAX_VECTOR_OCTETS) throw new LimitError('LENGTH', `label of ${labelOctets} octets exceeds 255`)
  if (context.length > MAX_VECTOR_OCTETS) {
    throw new LimitError('LENGTH', `context of ${context.length} octets exceeds 255`)
  }
  if (!Number.isInteger(length) || length < 0 || length > MAX_LENGTH) {
    throw new LimitError('LENGTH', `output length ${length} does not fit its u16 field`)
  }
  const info = new Uint8Array(4 + labelOctets + context.length)
  info[0] = length >>> 8
  info[1] = length & 0xff
  info[2] = labelOctets
  writeAscii(info, 3, LABEL_PREFIX)
  writeAscii(info, 3 + LABEL_PREFIX.length, label)
  info[3 + labelOctets] = context.length
  info.set(context, 4 + labelOctets)
  return info
}

function writeAscii(target: Uint8Array, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) throw new MisuseError('ARGUMENT', 'labels are ASCII')
    target[offset + i] = code
  }
}
