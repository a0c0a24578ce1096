import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { ClosedError, LimitError } from '../../errors.ts'
import { testAuthority } from './authority.test-support.ts'
import { connected, dial, failureOf, hear, listen, rawTcp } from './peers.test-support.ts'

describe('half-open connections', () => {
  const limits = { maxHalfOpen: 256, maxHalfOpenPerSource: 3, tlsHandshakeTimeoutMs: 10_000 }

  it('are limited per source, counted from TCP accept until settled', async () => {
    const { port, refused, accepted, listener } = await listen({ limits })
    const silent = await rawTcp(port)
    await dial(port)
    await dial(port)
    await vi.waitFor(() => expect(listener.halfOpen).toBe(3))
    expect((await failureOf(dial(port))).code).toBe('TRANSPORT_LOST')
    const error = await refused.take()
    expect(error).toBeInstanceOf(LimitError)
    expect(error.code).toBe('HALF_OPEN')

    const first = await accepted.take()
    first.settled()
    first.settled()
    expect(listener.halfOpen).toBe(2)
    await dial(port)
    expect(listener.halfOpen).toBe(3)

    silent.destroy()
    await vi.waitFor(() => expect(listener.halfOpen).toBe(2))
    await expect(dial(port)).resolves.toBeDefined()
  })

  it('no longer count once they are closed, settled or not', async () => {
    const { port, accepted, listener } = await listen({ limits })
    await dial(port)
    const { transport, settled } = await accepted.take()
    expect(listener.halfOpen).toBe(1)
    transport.destroy()
    await vi.waitFor(() => expect(listener.halfOpen).toBe(0))
    settled()
    expect(listener.halfOpen).toBe(0)
  })
})

describe('a listener', () => {
  it('that is closed takes nobody in, drops who is in the TLS handshake, and leaves the others alone', async () => {
    const { near, far, port, listener } = await connected()
    const silent = await rawTcp(port)
    await vi.waitFor(() => expect(listener.halfOpen).toBe(2))
    const dropped = once(silent, 'close')
    await listener.close()
    await dropped
    expect((await failureOf(dial(port))).code).toBe('TRANSPORT_LOST')
    near.write([Uint8Array.of(7)])
    expect(await hear(far).take(1)).toEqual(Uint8Array.of(7))
  })

  it('fails where the address is taken', async () => {
    const { port } = await listen()
    const error = await failureOf(listen({ port }))
    expect(error).toBeInstanceOf(ClosedError)
    expect(error.message).toContain('EADDRINUSE')
  })
})

describe('a listener that changes while it is open', () => {
  it('shows another certificate to the connections that come, and leaves the others alone', async () => {
    const { ca, issue } = await testAuthority()
    const { near, far, port, listener } = await connected()
    const tls = { mode: 'ca', ca, serverName: 'peer.example' } as const
    await failureOf(dial(port, { tls }))
    await listener.renewTls({ mode: 'ca', ...(await issue('peer.example')) })
    await expect(dial(port, { tls })).resolves.toBeDefined()
    near.write([Uint8Array.of(7)])
    expect(await hear(far).take(1)).toEqual(Uint8Array.of(7))
  })

  it('keeps its certificate where the other one is none', async () => {
    const { port, listener } = await listen()
    await expect(listener.renewTls({ mode: 'ca', cert: 'no', key: 'no' })).rejects.toMatchObject({ code: 'ARGUMENT' })
    await expect(dial(port)).resolves.toBeDefined()
  })

  it('has other limits from then on', async () => {
    const { port, listener, refused } = await listen()
    listener.setLimits({ maxHalfOpen: 1, maxHalfOpenPerSource: 1 })
    await dial(port)
    await failureOf(dial(port))
    expect((await refused.take()).code).toBe('HALF_OPEN')
  })
})
