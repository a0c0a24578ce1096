import { type FailureCode, OUTCOME, type TransportFailure } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import type { CallFailure } from '../exchanges/contract.ts'
import { failureFromPeer, failureToPeer } from './failures.ts'

const ALL: readonly FailureCode[] = [
  'NotDelivered',
  'SafetyPolicy',
  'ApprovalRequired',
  'QuotaExceeded',
  'ProtocolUnsupported',
  'MethodUnsupported',
  'AuditUnavailable',
  'BackendAuthRequired',
]

function peerFailure(changes: Partial<TransportFailure>): TransportFailure {
  return { code: 4, message: 'text of the peer', outcome: 1, reason: 0, parameters: new Map(), ...changes }
}

describe('failures across the mesh', () => {
  it.each(ALL)('%s arrives at the near edge as what the far relay meant, with its outcome', (code) => {
    for (const outcome of [OUTCOME.NOT_DELIVERED, OUTCOME.UNKNOWN]) {
      const arrived = failureFromPeer(failureToPeer({ code, message: 'far', outcome }))
      expect(arrived).toMatchObject({ code, outcome })
    }
  })

  it.each([OUTCOME.SESSION_LOST, OUTCOME.NOT_DELIVERED])(
    'a lost session is outcome 3 and arrives as one, whatever it was: %i',
    (outcome) => {
      const crossing = failureToPeer({ code: 'SessionLost', message: 'gone', outcome })
      expect(crossing).toMatchObject({ code: 4, outcome: OUTCOME.SESSION_LOST })
      expect(failureFromPeer(crossing).code).toBe('SessionLost')
    },
  )

  it('a call that was taken before its session was lost stays unknown', () => {
    const crossing = failureToPeer({ code: 'SessionLost', message: 'gone', outcome: OUTCOME.UNKNOWN })
    expect(failureFromPeer(crossing)).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN })
  })

  it.each([
    [1, 'NotDelivered'],
    [2, 'ProtocolUnsupported'],
    [3, 'MethodUnsupported'],
    [4, 'NotDelivered'],
    [5, 'SafetyPolicy'],
    [6, 'NotDelivered'],
    [21, 'NotDelivered'],
  ] as const)('transport error %i without a reason is %s', (code, expected) => {
    expect(failureFromPeer(peerFailure({ code })).code).toBe(expected)
  })

  it('an unknown reason leaves the transport error to speak', () => {
    expect(failureFromPeer(peerFailure({ code: 5, reason: 200 })).code).toBe('SafetyPolicy')
  })

  it('never shows the text of the peer', () => {
    for (let reason = 0; reason < 10; reason++) {
      expect(failureFromPeer(peerFailure({ reason })).message).not.toContain('text of the peer')
    }
  })

  it('a 404 of the backend comes with where to look', () => {
    const failure: CallFailure = { code: 'NotDelivered', message: 'x', outcome: 1, status: 404 }
    expect(failureFromPeer(failureToPeer(failure)).hint).toContain('compare spec.mcp.url of the MeshBackend')
  })

  it("a backend's status crosses, but not with BackendAuthRequired", () => {
    const failure: CallFailure = { code: 'NotDelivered', message: 'x', outcome: 1, status: 502, retryAfter: '3' }
    expect(failureFromPeer(failureToPeer(failure))).toMatchObject({
      status: 502,
      retryAfter: '3',
      message: 'the backend answered with HTTP status 502',
    })
    expect(failureToPeer({ ...failure, code: 'BackendAuthRequired' }).parameters.has(':status')).toBe(false)
  })
})
