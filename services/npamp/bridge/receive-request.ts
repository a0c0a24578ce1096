import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { NpampError } from '../errors.ts'
import { carriageOf } from './carriage.ts'
import type { CarriageRules } from './carriage-rules.ts'
import { type BridgeEnvelope, OUTCOME, TRANSPORT_ERROR } from './contract.ts'
import type { BridgeEvent, FailureInput } from './events.ts'
import { Incoming } from './exchanges.ts'
import { withoutForbidden } from './extensions/parameter-rules.ts'
import { octetKey } from './octet-key.ts'
import { attempt, type FrameEvent, openFrame, relatedExchange, reportFrame } from './open-frame.ts'
import type { Outbound } from './outbound.ts'
import { readableEnvelope } from './payload.ts'
import type { BridgeState } from './state.ts'

/** A BRIDGE_REQUEST: an exchange begins, or the request is answered at once and nothing begins. */
export function receiveRequest(
  state: BridgeState,
  outbound: Outbound,
  frame: FrameEvent,
  now: number,
): BridgeEvent | undefined {
  state.counters.requestsReceived += 1
  const opened = openFrame(state, frame)
  const envelope = opened instanceof NpampError ? readableEnvelope(frame.payload) : opened.payload.envelope
  if (envelope === undefined) {
    // No correlation_id to answer to.
    state.drop('malformed_request')
    reportFrame(state, frame, ERROR_CODE.PROTOCOL_VIOLATION, now)
    return undefined
  }
  const key = octetKey(envelope.correlationId)
  if (state.exchanges.isTheirs(key)) {
    // Any answer on this id would end the exchange that has it (digest 04 section 6).
    state.drop('duplicate_correlation')
    reportFrame(state, frame, ERROR_CODE.DUPLICATE_CORRELATION, now)
    return undefined
  }
  const refuse = (failure: FailureInput): undefined => {
    if (failure.code === TRANSPORT_ERROR.ENVELOPE_MALFORMED) state.drop('malformed_request')
    outbound.refuse(envelope, failure, now)
    return undefined
  }
  if (opened instanceof NpampError) return refuse(malformed(opened.message))
  const { payload, extensions } = opened
  const rules = carrierOf(state, payload.envelope)
  if ('code' in rules) return refuse(rules)
  const { foreign, label, envelope: full } = payload
  const message = attempt(() => rules.incomingRequest(foreign, full.method, state.scan))
  if (message instanceof NpampError) return refuse(malformed(message.message))
  if (state.exchanges.theirsCount >= state.maxOpenIncoming) return refuse(tooMany(state.maxOpenIncoming))

  const exchange = new Incoming({
    protocolId: full.protocolId,
    rules,
    contentType: full.contentType,
    // Copies: an exchange shall not hold the frame it came in.
    correlationId: full.correlationId.slice(),
    key,
    method: full.method,
    idToken: message?.idToken?.slice(),
    label,
    route: extensions.route,
    ordinal: frame.ordinal,
  })
  state.exchanges.open(exchange, now)
  const { kept, dropped } = withoutForbidden(extensions.parameters)
  state.drop('parameter', dropped)
  return {
    type: 'request',
    exchange,
    octets: message?.text ?? foreign,
    message,
    parameters: kept,
    related: relatedExchange(state, extensions.related),
  }
}

/** After structure: the null protocol, whether it is carried, then the content type (digest 04 section 9). */
function carrierOf(state: BridgeState, envelope: BridgeEnvelope): CarriageRules | FailureInput {
  if (envelope.protocolId === 0) return malformed('protocol_id 0 is the null protocol') // REG-002
  // REG-006. No protocol is usable before the peer's HELLO (CARRIAGE section 1).
  const rules = state.carries(envelope.protocolId) ? carriageOf(envelope.protocolId) : undefined
  if (rules === undefined)
    return { code: TRANSPORT_ERROR.PROTOCOL_UNSUPPORTED, message: 'this protocol is not carried here' }
  if (envelope.contentType !== rules.contentType)
    return malformed(`content_type ${envelope.contentType} does not belong to the protocol`)
  return rules
}

function malformed(message: string): FailureInput {
  return { code: TRANSPORT_ERROR.ENVELOPE_MALFORMED, message, outcome: OUTCOME.NOT_DELIVERED }
}

function tooMany(limit: number): FailureInput {
  return {
    code: TRANSPORT_ERROR.NOT_DELIVERED,
    message: `${limit} requests of this association are open already`,
    outcome: OUTCOME.NOT_DELIVERED,
    reason: 3,
  }
}
