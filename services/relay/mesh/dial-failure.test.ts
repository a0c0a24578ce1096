import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { ClosedError } from '@causeway/npamp'
import { dialTls } from '@causeway/npamp/transports'
import { describe, expect, it } from 'vitest'
import { callFailureOf, failureAfterHandshake, failureOfClose, failureOfError } from './dial-failure.ts'

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

  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ENOTFOUND', 'the name in its address is unknown'],
    ['EHOSTUNREACH', 'no route to its host'],
    ['ESECRET', 'the connection failed'],
  ])('says why a connection could not be made, in words of its own: %s', async (code, why) => {
    const error = new ClosedError('TRANSPORT_LOST', 'text of the system')
    error.cause = Object.assign(new Error('text of the system'), { code })
    const { message } = callFailureOf('default/tools', failureOfError(error))
    expect(message).toBe(`no association with peer default/tools: ${why}`)
  })

  it('says so when the address refuses for real', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const dialled = dialTls({ host: '127.0.0.1', port, tls: { mode: 'pinned' }, timeoutMs: 5_000 })
    const failure = failureOfError(
      await dialled.then(
        () => undefined,
        (error: unknown) => error,
      ),
    )
    expect(callFailureOf('default/tools', failure).message).toContain('connection refused')
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
