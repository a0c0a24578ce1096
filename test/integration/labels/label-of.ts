/** A BRIDGE_REQUEST as far as its label goes, read by digest 04 sections 3 to 5 and by nothing of the product. */
export interface LabelledRequest {
  readonly method: string
  /** Undefined where there is no SafetyLabel. */
  readonly effect: number | undefined
  readonly json: string
}

const ENVELOPE = 0x0010
const SAFETY_LABEL = 0x0013

export function labelOf(payload: Buffer): LabelledRequest {
  let at = 0
  let method = ''
  let effect: number | undefined
  // JSON never begins with 0x00, and every TLV type in use does, or with 0x43.
  while (payload[at] === 0x00 || payload[at] === 0x43) {
    const type = payload.readUInt16BE(at)
    const length = payload.readUInt16BE(at + 2)
    const value = payload.subarray(at + 4, at + 4 + length)
    if (type === ENVELOPE) method = methodIn(value)
    if (type === SAFETY_LABEL) effect = value[0]
    at += 4 + length
  }
  return { method, effect, json: payload.toString('utf8', at) }
}

/** proto, kind, ctype, flags, corr_len, correlation_id, meth_len, method. */
function methodIn(envelope: Buffer): string {
  const correlationOctets = envelope[4] ?? 0
  const at = 5 + correlationOctets
  return envelope.toString('utf8', at + 1, at + 1 + (envelope[at] ?? 0))
}
