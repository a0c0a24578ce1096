import { ClosedError } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { callFailureOf, failureAfterHandshake, failureOfClose } from './dial-failure.ts'

const lost = { by: 'error', error: new ClosedError('TRANSPORT_LOST', 'the peer ended the stream') } as const

describe('what a call says when its peer cannot be had', () => {
  it('points at the address when the connection broke before the handshake was done', () => {
    const failure = failureOfClose(lost)
    expect(failure.result).toBe('transport_lost')
    expect(callFailureOf('default/tools', failure)).toMatchObject({
      code: 'NotDelivered',
      outcome: 0,
      hint: expect.stringContaining('addresses'),
    })
  })

  it('points at the pins when it broke right after: so looks a peer that does not accept this identity', () => {
    const failure = failureAfterHandshake(lost)
    expect(failure.result).toBe('ended_after_handshake')
    expect(callFailureOf('default/tools', failure)).toMatchObject({
      code: 'NotDelivered',
      outcome: 0,
      message: expect.stringContaining('does it list the handle of this relay?'),
      hint: expect.stringContaining('handles'),
    })
  })

  it('says what the peer said, where it said anything', () => {
    const closed = { by: 'peer', code: 3, reason: 'not a peer' } as const
    expect(failureAfterHandshake(closed)).toEqual(failureOfClose(closed))
  })
})
