import { utf8 } from '../../wire/utf8.ts'
import { MAX_METHOD_OCTETS } from '../envelope.ts'

/** Why a method cannot stand in an envelope: its UTF-8 must exist and have at most 255 octets (CARRIAGE section 2). */
export type MethodFault = 'surrogate' | 'tooLong'

export function methodFault(method: string): MethodFault | undefined {
  if (!method.isWellFormed()) return 'surrogate'
  // One UTF-16 unit is at most three octets of UTF-8.
  if (method.length * 3 <= MAX_METHOD_OCTETS) return undefined
  return method.length > MAX_METHOD_OCTETS || utf8(method).length > MAX_METHOD_OCTETS ? 'tooLong' : undefined
}
