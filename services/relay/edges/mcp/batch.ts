import { isUtf8 } from 'node:buffer'
import { LimitError, MalformedError, methodFault, type ScannedMessage, scanMessage, splitBatch } from '@causeway/npamp'
import { eraOf } from '../../exchanges/era.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import { BatchAnswer } from './batch-answer.ts'
import { type Delivery, headerText, type PassingRequest, type Place } from './delivery.ts'
import type { EdgeContext } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import { parametersOf } from './parameters.ts'
import * as refusals from './refusals.ts'
import { sendAccepted } from './respond.ts'

const BATCH_REVISION = '2025-03-26'
const MAX_MESSAGES = 100

/**
 * A batch, which only revision 2025-03-26 has: sliced as it was written, each of its messages on its own way, all requests
 * answered together (CARRIAGE section 3). One message that may not pass refuses all, as nothing has been sent then.
 */
export function takeBatch(
  edge: EdgeContext,
  place: Place,
  delivery: Delivery,
  batch: ScannedMessage,
): EdgeError | undefined {
  const session = delivery.session('legacy')
  if (session === 'unknown') return refusals.sessionUnknown()
  const version = headerText(place.request.headers['mcp-protocol-version'])
  if (!mayBatch(session, version)) return refusals.batchesNotServed()
  const messages = messagesOf(batch)
  if (!Array.isArray(messages)) return messages
  const fault = messages.map(faultOf).find((found) => found !== undefined)
  if (fault !== undefined) return fault
  const parameters = parametersOf(place.request, place.route.forwardHeaders)
  if (parameters === undefined) return refusals.tooManyParameters()

  const requests: PassingRequest[] = []
  for (const message of messages) {
    if (message.shape !== 'request' || message.idToken === undefined) continue
    const passing = { message, method: message.method ?? '', era: 'legacy', session, parameters } as const
    const request = delivery.takeId(passing, message.idToken)
    if (request === undefined) {
      for (const taken of requests) session?.releaseId(taken.idKey, edge.clock.now())
      return refusals.idInUse()
    }
    requests.push(request)
  }

  if (requests.length === 0) sendAccepted(edge, place.response)
  // As many exchanges listen to it as there are requests.
  place.response.setMaxListeners(0)
  const answer = new BatchAnswer(edge, place.response, session, requests.length)
  const calls = requests.values()
  // In the order in which they were written.
  for (const message of messages) {
    if (message.shape === 'notification') {
      delivery.notification({ message, method: message.method ?? '', era: 'legacy', session, parameters })
    } else if (message.shape !== 'request') delivery.response(message, session)
    else {
      const { value: request } = calls.next()
      if (request !== undefined) delivery.call(request, (events) => answer.part(events))
    }
  }
  return undefined
}

/** A client without a session and without the header, which a later revision asks for, is one of that revision. */
function mayBatch(session: NorthboundSession | undefined, version: string | undefined): boolean {
  if (session !== undefined) return session.revision === BATCH_REVISION
  return version === undefined || version === BATCH_REVISION
}

function messagesOf(batch: ScannedMessage): ScannedMessage[] | EdgeError {
  try {
    return splitBatch(batch, MAX_MESSAGES).map((text) => scanMessage(text, { isUtf8 }))
  } catch (error) {
    if (error instanceof LimitError) return refusals.batchTooLong(MAX_MESSAGES)
    if (error instanceof MalformedError) return refusals.invalidRequest(error.message)
    throw error
  }
}

function faultOf(message: ScannedMessage): EdgeError | undefined {
  const { shape, method = '' } = message
  if (shape === 'batch') return refusals.invalidRequest('a batch holds a batch')
  if (shape === 'result' || shape === 'error') return undefined
  // Digest 10 section 3.
  if (eraOf(message, undefined).era === 'modern')
    return refusals.invalidRequest('a batch holds a message of a later revision')
  if (method === 'initialize') return refusals.invalidRequest('initialize stands alone, never in a batch')
  switch (methodFault(method)) {
    case 'surrogate':
      return refusals.loneSurrogate()
    case 'tooLong':
      return refusals.methodTooLong(400)
    default:
      return undefined
  }
}
