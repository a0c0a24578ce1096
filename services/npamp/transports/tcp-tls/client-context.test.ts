import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../../test/fixtures/npamp/errors.ts'
import { testAuthority } from './authority.test-support.ts'
import { clientContext } from './client-context.ts'
import { dial, failureOf, foreignTls, listen } from './peers.test-support.ts'

describe('a context that connections share', () => {
  it(`${requirement('WIRE-001')} gives each of them TLS 1.3 or nothing, and n-pamp/2`, async () => {
    const context = clientContext({ mode: 'pinned' })
    const { port } = await listen()
    for (const transport of [await dial(port, { context }), await dial(port, { context })]) {
      expect(transport.info).toMatchObject({ tlsVersion: 'TLSv1.3', alpn: 'n-pamp/2' })
    }
    const old = await foreignTls({ maxVersion: 'TLSv1.2', ALPNProtocols: ['n-pamp/2'] })
    expect((await failureOf(dial(old, { context }))).code).toBe('TLS')
  })

  it('leaves the server name to each: what one connection accepts, another may not', async () => {
    const authority = await testAuthority()
    const { port } = await listen({ tls: { mode: 'ca', ...(await authority.issue('relay.example')) } })
    const towards = (serverName: string) => ({ mode: 'ca', ca: authority.ca, serverName }) as const
    const context = clientContext(towards('relay.example'))
    await expect(dial(port, { context, tls: towards('relay.example') })).resolves.toBeDefined()
    const other = await failureOf(dial(port, { context, tls: towards('other.example') }))
    expect(other.code).toBe('IDENTITY_REFUSED')
    await expect(dial(port, { context, tls: towards('relay.example') })).resolves.toBeDefined()
  })

  it('is refused for PEM that is none', () => {
    const bad = { mode: 'ca', ca: 'x', cert: 'y', key: 'z', serverName: 'relay.example' } as const
    expect(failure(() => clientContext(bad))).toBe('misuse/ARGUMENT')
  })
})
