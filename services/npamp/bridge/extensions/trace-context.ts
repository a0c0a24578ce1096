import { MalformedError, MisuseError } from '../../errors.ts'
import { strictUtf8, utf8 } from '../../wire/utf8.ts'

/** W3C Trace Context as its two headers; `traceparent` in form, `tracestate` as it stands. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate: string | undefined
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[\x21-\x7e]*)?$/
const TRACESTATE = /^[\x20-\x7e\t]+$/
/** Ours: what the W3C recommendation asks to carry at least. */
const MAX_TRACESTATE_OCTETS = 512
const LF = '\n'

/** TLV 0x4351: traceparent, optionally LF and tracestate (CARRIAGE section 1). Throws MisuseError ARGUMENT. */
export function encodeTraceContext({ traceparent, tracestate }: TraceContext): Uint8Array {
  const fault = whyNoTrace(traceparent, tracestate)
  if (fault !== undefined) throw new MisuseError('ARGUMENT', fault)
  return utf8(tracestate === undefined ? traceparent : traceparent + LF + tracestate)
}

/** Throws MalformedError EXTENSION. */
export function decodeTraceContext(value: Uint8Array): TraceContext {
  const text = strictUtf8(value) ?? ''
  const end = text.indexOf(LF)
  const traceparent = end < 0 ? text : text.slice(0, end)
  const tracestate = end < 0 ? undefined : text.slice(end + 1)
  const fault = whyNoTrace(traceparent, tracestate)
  if (fault !== undefined) throw new MalformedError('EXTENSION', fault)
  return { traceparent, tracestate }
}

function whyNoTrace(traceparent: string, tracestate: string | undefined): string | undefined {
  if (!TRACEPARENT.test(traceparent)) return 'TraceContext has no traceparent'
  if (tracestate === undefined) return undefined
  if (tracestate.length > MAX_TRACESTATE_OCTETS)
    return `TraceContext has a tracestate over ${MAX_TRACESTATE_OCTETS} octets`
  return TRACESTATE.test(tracestate) ? undefined : 'TraceContext has a tracestate of other than printable ASCII'
}
