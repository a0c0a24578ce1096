import { BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { NpampError } from '../errors.ts'
import { releaseOf } from '../wire/octets.ts'
import {
  type BridgePayload,
  OUTCOME,
  TRANSPORT_ERROR,
  type TransportErrorCode,
  type TransportFailure,
} from './contract.ts'
import type { BridgeEvent } from './events.ts'
import type { Outgoing } from './exchanges.ts'
import { defaultOutcome } from './extensions/delivery-outcome.ts'
import { replyParameters } from './extensions/parameter-rules.ts'
import { type Extensions, NO_PARAMETERS } from './extensions/read.ts'
import { octetKey } from './octet-key.ts'
import { attempt, type FrameEvent, openFrame } from './open-frame.ts'
import { readableEnvelope } from './payload.ts'
import type { BridgeState } from './state.ts'
import { decodeTransportError } from './transport-error.ts'

/**
 * A BRIDGE_RESPONSE or BRIDGE_ERROR. Whatever is wrong with one that names an open exchange ends that exchange here and
 * sends nothing: an error back would hit the peer's own request of the same id (digest 04 section 6).
 */
export function receiveReply(state: BridgeState, frame: FrameEvent, now: number): BridgeEvent | undefined {
  const opened = openFrame(state, frame)
  const envelope = opened instanceof NpampError ? readableEnvelope(frame.payload) : opened.payload.envelope
  const exchange = envelope && awaiting(state, octetKey(envelope.correlationId), now)
  if (envelope === undefined) state.drop('malformed_reply')
  if (exchange === undefined) return undefined
  const cancelled = exchange.state === 'cancelled'
  state.exchanges.close(exchange, now)
  // CARRIAGE section 2: the real answer may still come, and is not that of another request then.
  if (cancelled) state.exchanges.ids.remember(exchange.key, now)
  if (opened instanceof NpampError) return malformed(state, exchange, opened.message)
  const { protocolId, contentType, method } = opened.payload.envelope
  // MCP-010. What names a method asks for something, whatever its frame says that it is.
  if (method !== '') return malformed(state, exchange, 'the reply names a method')
  if (protocolId !== exchange.protocolId || contentType !== exchange.rules.contentType)
    return malformed(state, exchange, 'the reply is of another protocol or content type')

  const failure =
    frame.frameType === BRIDGE_FRAME.ERROR ? transportFailure(state, opened.payload, opened.extensions) : undefined
  if (failure !== undefined) {
    state.counters.failuresReceived += 1
    // Its caller would be told nothing at all (CARRIAGE section 5), and did not ask for that.
    const unasked = failure.outcome === OUTCOME.CANCELLED && !cancelled
    return {
      type: 'failed',
      exchange,
      failure: unasked ? { ...failure, outcome: OUTCOME.UNKNOWN } : failure,
      by: 'peer',
    }
  }
  const kind = frame.frameType === BRIDGE_FRAME.RESPONSE ? 'result' : 'error'
  const message = attempt(() =>
    exchange.rules.incomingReply(kind, opened.payload.foreign, exchange.idToken, state.scan),
  )
  if (message instanceof NpampError) return malformed(state, exchange, message.message)
  if (opened.extensions.outcome !== undefined) state.drop('misplaced_extension')
  state.counters.repliesReceived += 1
  const parameters = usable(state, opened.extensions)
  return {
    type: 'reply',
    exchange,
    kind,
    octets: message.text,
    message,
    parameters,
    release: releaseOf(frame.payload),
  }
}

/** By correlation id and never by sequence (BRG-014). */
function awaiting(state: BridgeState, key: string, now: number): Outgoing | undefined {
  const exchange = state.exchanges.mine(key)
  if (exchange === undefined) {
    state.drop(state.exchanges.ids.remembers(key, now) ? 'late_reply' : 'unknown_correlation')
    return undefined
  }
  if (exchange.state === 'queued') {
    // It answers something else: this request has not left yet, and may still be called not sent.
    state.drop('early_reply')
    return undefined
  }
  return exchange
}

/** BRG-018. Undefined where the error is the foreign protocol's own. */
function transportFailure(
  state: BridgeState,
  payload: BridgePayload,
  extensions: Extensions,
): TransportFailure | undefined {
  const error = decodeTransportError(payload.foreign)
  if (error === undefined) return undefined
  const { outcome, reason } = extensions.outcome ?? { outcome: defaultOutcome(error.code), reason: 0 }
  return { ...error, outcome, reason, parameters: usable(state, extensions) }
}

function usable(state: BridgeState, { parameters }: Extensions): TransportFailure['parameters'] {
  const { kept, dropped } = replyParameters(parameters)
  state.drop('parameter', dropped)
  return kept
}

function malformed(state: BridgeState, exchange: Outgoing, message: string): BridgeEvent {
  state.drop('malformed_reply')
  return failedHere(exchange, TRANSPORT_ERROR.ENVELOPE_MALFORMED, OUTCOME.UNKNOWN, message)
}

/** An exchange whose end this side found out by itself. */
export function failedHere(
  exchange: Outgoing,
  code: TransportErrorCode,
  outcome: TransportFailure['outcome'],
  message: string,
): BridgeEvent {
  return {
    type: 'failed',
    exchange,
    failure: { code, message, outcome, reason: 0, parameters: NO_PARAMETERS },
    by: 'local',
  }
}
