import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it, vi } from 'vitest'
import { connected, dial, foreign, HOST, hear, listen, rawTcp } from './peers.test-support.ts'

describe('a connection', () => {
  it(`${requirement('WIRE-001')} negotiates n-pamp/2 on TLS 1.3 and carries octets both ways`, async () => {
    const { near, far } = await connected()
    const [nearEar, farEar] = [hear(near), hear(far)]
    near.write([Uint8Array.of(1, 2), Uint8Array.of(3)])
    far.write([Uint8Array.of(4)])
    expect(await farEar.take(3)).toEqual(Uint8Array.of(1, 2, 3))
    expect(await nearEar.take(1)).toEqual(Uint8Array.of(4))
    for (const { info } of [near, far])
      expect(info).toMatchObject({ kind: 'tcp-tls', alpn: 'n-pamp/2', tlsVersion: 'TLSv1.3' })
    expect(near.info.remote).toBe(far.info.local)
    expect(near.info.local).toBe(far.info.remote)
  })

  it('keeps octets that come before its receiver', async () => {
    const { near, far } = await connected()
    near.write([Uint8Array.of(9)])
    expect(await hear(far).take(1)).toEqual(Uint8Array.of(9))
  })

  it('carries large writes whole, and says when to wait and when to go on', async () => {
    const { near, far } = await connected()
    const nearEar = hear(near)
    far.pauseReading()
    const farEar = hear(far)
    const block = Uint8Array.from({ length: 1024 * 1024 }, (_, index) => index % 251)
    const pieces = [block.subarray(0, 36), block.subarray(36)]
    // More than any socket buffers take: some write must ask to wait.
    const answers = Array.from({ length: 24 }, () => near.write(pieces))
    expect(answers.at(-1)).toBe(false)
    far.resumeReading()
    const got = await farEar.take(24 * block.length)
    for (let index = 0; index < 24; index++)
      expect(Buffer.compare(got.subarray(index * block.length, (index + 1) * block.length), block)).toBe(0)
    expect(await nearEar.log.take()).toBe('writable')
  })
})

describe('the end of a connection', () => {
  it('of one side leaves the other able to finish', async () => {
    const { near, far } = await connected()
    const [nearEar, farEar] = [hear(near), hear(far)]
    near.write([Uint8Array.of(1)])
    near.end()
    expect(await farEar.take(1)).toEqual(Uint8Array.of(1))
    expect(await farEar.log.take()).toBe('end')
    far.write([Uint8Array.of(2)])
    far.end()
    expect(await nearEar.take(1)).toEqual(Uint8Array.of(2))
    expect(await nearEar.log.take()).toBe('end')
  })

  it('by a reset is a loss', async () => {
    const { near, far } = await connected()
    const farEar = hear(far)
    near.destroy()
    // A close without a word may still arrive as an orderly end of the TCP stream.
    expect(['lost', 'end']).toContain(await farEar.log.take())
    const relay = await listen()
    const upstream = await rawTcp(relay.port)
    // In between, so that the reset passes TLS by.
    const proxy = await foreign(createTcpServer((socket) => socket.pipe(upstream).pipe(socket)))
    const dialler = await dial(proxy)
    const { transport } = await relay.accepted.take()
    const ear = hear(transport)
    // Both ways, so that nothing of TLS itself is still to be written: a failed write would swallow the reset.
    transport.write([Uint8Array.of(1)])
    expect(await hear(dialler).take(1)).toEqual(Uint8Array.of(1))
    upstream.resetAndDestroy()
    expect(await ear.log.take()).toBe('lost')
  })

  it('before the receiver is told to the receiver', async () => {
    const relay = await listen()
    const socket = tlsConnect({ host: HOST, port: relay.port, rejectUnauthorized: false, ALPNProtocols: ['n-pamp/2'] })
    socket.on('error', () => {})
    const { transport } = await relay.accepted.take()
    transport.destroy()
    await once(socket, 'close')
    expect(await hear(transport).log.take()).toBe('lost')
  })

  it('does not wait for ever for a peer that never ends', async () => {
    const { near, far } = await connected()
    const nearEar = hear(near)
    const farEar = hear(far)
    // Only our own timer is false: sockets run on.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    near.end()
    expect(await farEar.log.take()).toBe('end')
    vi.advanceTimersByTime(4_999)
    expect(nearEar.log.waiting).toBe(0)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    expect(await nearEar.log.take()).toBe('lost')
  })

  it('makes writing harmless', async () => {
    const { near } = await connected()
    const ear = hear(near)
    near.destroy()
    expect(await ear.log.take()).toBe('lost')
    expect(near.write([Uint8Array.of(1)])).toBe(true)
    near.end()
    near.destroy()
  })
})
