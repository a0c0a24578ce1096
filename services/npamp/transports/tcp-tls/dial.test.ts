import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ClosedError, LimitError, MisuseError } from '../../errors.ts'
import { dial, failureOf, foreign, listen } from './peers.test-support.ts'

describe('dialling', () => {
  it('fails where nobody listens', async () => {
    const { port, listener } = await listen()
    await listener.close()
    const error = await failureOf(dial(port))
    expect(error).toBeInstanceOf(ClosedError)
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('fails after its time limit against a server that says nothing', async () => {
    const silent = await foreign(createTcpServer())
    const error = await failureOf(dial(silent, { timeoutMs: 30 }))
    expect(error).toBeInstanceOf(LimitError)
    expect(error.code).toBe('HANDSHAKE_TIMEOUT')
  })

  it('fails against a server that hangs up, and one that talks rubbish', async () => {
    const hangsUp = await foreign(createTcpServer((socket) => socket.destroy()))
    expect((await failureOf(dial(hangsUp))).code).toBe('TRANSPORT_LOST')
    const rubbish = await foreign(createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    expect((await failureOf(dial(rubbish))).code).toBe('TLS')
  })

  it('can be aborted, before and during', async () => {
    const silent = await foreign(createTcpServer())
    expect((await failureOf(dial(silent, { signal: AbortSignal.abort() }))).code).toBe('CLOSED')
    const controller = new AbortController()
    const dialled = failureOf(dial(silent, { signal: controller.signal }))
    controller.abort()
    expect((await dialled).code).toBe('CLOSED')
  })

  it('refuses a port that is none', async () => {
    expect(await failureOf(dial(70_000))).toBeInstanceOf(MisuseError)
  })
})
