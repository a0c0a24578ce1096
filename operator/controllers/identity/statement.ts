import type { CryptoProvider, SigningKey } from '@causeway/npamp'
import { signSuccessor, verifySuccessor } from '@causeway/npamp'

/** For clocks that are behind ours. */
const NOT_BEFORE_BACK_S = 300
/** A receiver that is away for the whole overlap still finds it valid. */
const LEAST_LIFE_S = 24 * 3600

/** A successor statement that outlives the overlap, base64. */
export function statementOf(
  keys: { readonly current: SigningKey; readonly next: SigningKey },
  span: { readonly nowMs: number; readonly overlapMs: number },
  provider: CryptoProvider,
): string {
  const nowS = Math.floor(span.nowMs / 1000)
  const lifeS = Math.max(Math.ceil((span.overlapMs * 2) / 1000), LEAST_LIFE_S)
  const terms = { notBeforeS: nowS - NOT_BEFORE_BACK_S, notAfterS: nowS + lifeS }
  return Buffer.from(signSuccessor(terms, keys.current, keys.next, provider)).toString('base64')
}

/** Until when a statement holds, in milliseconds; undefined for one that does not verify, or not for these two keys. */
export function statementEndMs(
  statement: string | undefined,
  keys: { readonly current: SigningKey; readonly nextHandle: string | undefined },
  nowMs: number,
  provider: CryptoProvider,
): number | undefined {
  if (statement === undefined) return undefined
  try {
    const octets = Buffer.from(statement, 'base64')
    const check = { current: keys.current, nowS: Math.floor(nowMs / 1000), provider }
    const { nextHandle, notAfterS } = verifySuccessor(octets, check)
    return nextHandle === keys.nextHandle ? notAfterS * 1000 : undefined
  } catch {
    return undefined
  }
}
