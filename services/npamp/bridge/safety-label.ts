import { MisuseError } from '../errors.ts'
import { Reader } from '../wire/reader.ts'
import { utf8 } from '../wire/utf8.ts'
import { EFFECT, type Effect, type SafetyLabel } from './contract.ts'

const MAX_SCOPE_OCTETS = 255

/** TLV 0x0013: effect u8, scope_len u8, scope (BRG-024). Throws MisuseError ARGUMENT for another effect or a long scope. */
export function encodeSafetyLabel(label: SafetyLabel): Uint8Array {
  if (!EFFECTS.includes(label.effect)) throw new MisuseError('ARGUMENT', `effect ${label.effect} is not 0 to 3`)
  const scope = utf8(label.scope)
  if (scope.length > MAX_SCOPE_OCTETS)
    throw new MisuseError('ARGUMENT', `a scope has at most ${MAX_SCOPE_OCTETS} octets`)
  const octets = new Uint8Array(2 + scope.length)
  octets[0] = label.effect
  octets[1] = scope.length
  octets.set(scope, 2)
  return octets
}

/** An effect of 4 and above is kept as it is. Throws MalformedError SAFETY_LABEL. */
export function decodeSafetyLabel(value: Uint8Array): SafetyLabel {
  const reader = new Reader(value, 'SafetyLabel', 'SAFETY_LABEL')
  const effect = reader.u8()
  const scope = reader.text(reader.u8())
  reader.done()
  return { effect, scope }
}

/**
 * What a request must be taken for. The label says what its sender intends and permits nothing (BRG-025); none at all
 * means destructive unless the mapping's table knows the operation as read_only (BRG-023); an effect we do not know is
 * destructive.
 */
export function effectiveEffect(label: SafetyLabel | undefined, tableEffect: Effect): Effect {
  if (label === undefined) return tableEffect === EFFECT.READ_ONLY ? EFFECT.READ_ONLY : EFFECT.DESTRUCTIVE
  return EFFECTS.includes(label.effect) ? (label.effect as Effect) : EFFECT.DESTRUCTIVE
}

const EFFECTS: readonly number[] = Object.values(EFFECT)
