import { OUTCOME } from '@causeway/npamp'
import type { CallFailure } from '../../exchanges/contract.ts'
import { notSent, refusedBeforeSending, unknown } from '../http/failures.ts'
import { describeEnd, type ProcessEnd } from './process-end.ts'

/** Why a call to a process ended without its answer, beyond what the backends have in common. */

/** The process is over; the request had been handed to it. */
export function processEnded(end: ProcessEnd): CallFailure {
  return unknown(`the server's process ${describeEnd(end)} before it answered`)
}

/** The process is over before the request was handed to it. */
export function processEndedUnsent(end: ProcessEnd): CallFailure {
  return notSent(`the server's process ${describeEnd(end)} before it read the request`)
}

export function notStarted(
  end: Extract<ProcessEnd, { how: 'notStarted' }>,
  { command, cwd = '.' }: { readonly command: string; readonly cwd: string | undefined },
): CallFailure {
  if (end.folderMissing) {
    const message = `the server's folder ${JSON.stringify(cwd)} does not exist (spec.mcp.stdio.cwd)`
    return withHint(notSent(message), 'check spec.mcp.stdio.cwd of the MeshBackend')
  }
  const why = WHY_NOT_STARTED[end.error] ?? `could not be started (${end.error})`
  return withHint(
    notSent(`the command ${JSON.stringify(command)} ${why}`),
    'check spec.mcp.stdio.command of the MeshBackend and the PATH of its relay',
  )
}

const WHY_NOT_STARTED: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  EACCES: 'may not be executed',
  EPERM: 'may not be executed',
  ENOTDIR: 'was not found',
  ENOEXEC: 'is no program',
  E2BIG: 'has too long arguments or too large an environment',
}

export function backingOff(waitMs: number, reason: string): CallFailure {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return {
    code: 'NotDelivered',
    outcome: OUTCOME.NOT_DELIVERED,
    message: `${reason}; it is not started again before ${seconds} s have passed`,
    hint: 'the log of the relay has what the server wrote to its standard error',
    retryAfter: String(seconds),
  }
}

export function tooSlow(limitMs: number): CallFailure {
  return unknown(`the server's process said nothing for ${limitMs} ms after its start (limits.startTimeout)`)
}

export function tooLarge(limitOctets: number): CallFailure {
  return unknown(`the answer is larger than ${limitOctets} octets (limits.maxReplyBytes of the relay)`)
}

export function tooManyProcesses(limit: number): CallFailure {
  return refusedBeforeSending(
    `the backend runs its ${limit} processes for sessions of this caller (limits.maxSessionProcesses)`,
    'try again when another session has ended',
  )
}

export function tooManyWaiting(limit: number): CallFailure {
  return refusedBeforeSending(
    `all processes of the backend are busy and ${limit} requests wait already (limits.maxQueued)`,
    'try again later',
  )
}

export function inputFull(): CallFailure {
  return refusedBeforeSending('the server does not read what it is sent, and too much waits already', 'try again later')
}

export function idOpen(): CallFailure {
  return notSent('a request with this id is open in this session')
}

function withHint(failure: CallFailure, hint: string): CallFailure {
  return { ...failure, hint }
}
