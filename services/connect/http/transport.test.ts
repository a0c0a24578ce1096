import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectProxy, connectProxy } from '../../../test/fixtures/connect/connect-proxy.ts'
import { type ConnectHost, connectHost } from '../../../test/fixtures/connect/host.ts'
import { mintCertificate } from '../../../test/fixtures/http/certificate.ts'
import { type ScriptedServer, scriptedServer } from '../../../test/fixtures/http/scripted-server.ts'

let folder: string
let host: ConnectHost | undefined
const closing: { close(): Promise<void> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(async () => {
  await host?.stop()
  host = undefined
  for (const one of closing.splice(0)) await one.close()
  rmSync(folder, { recursive: true })
})

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}'

async function secureServer(name: string): Promise<ScriptedServer & { readonly ca: string }> {
  const certificate = await mintCertificate(name)
  const server = await scriptedServer((arrival) => arrival.json(200, ANSWER), { server: createServer(certificate) })
  closing.push(server)
  const ca = join(folder, `${name}.pem`)
  writeFileSync(ca, certificate.cert)
  return Object.assign(server, { ca })
}

async function proxy(status?: number): Promise<ConnectProxy> {
  const started = await connectProxy(status)
  closing.push(started)
  return started
}

async function ask(...args: Parameters<typeof connectHost>): Promise<string> {
  host = connectHost(...args)
  host.say(CALL)
  return host.next()
}

describe('a server with a certificate of its own CA', () => {
  it('is trusted with --cacert', async () => {
    const { url, ca } = await secureServer('127.0.0.1')
    expect(await ask(url, { cacertFile: ca })).toBe(ANSWER)
  })

  it('is not without, and the person learns what to do; nothing was sent', async () => {
    const server = await secureServer('127.0.0.1')
    const { error } = JSON.parse(await ask(server.url))
    expect(error.message).toContain('give the CA that signed it with --cacert FILE')
    expect(error.data.causeway.delivery).toBe('not_sent')
    expect(server.arrivals).toHaveLength(0)
  })

  it('is not trusted under another name, nor with another CA', async () => {
    const server = await secureServer('localhost')
    expect(await ask(server.url, { cacertFile: server.ca })).toContain('is for another name')
    await host?.stop()
    const other = await secureServer('127.0.0.1')
    expect(await ask(other.url, { cacertFile: server.ca })).toContain('is not trusted')
  })
})

describe('a server that wants a certificate', () => {
  async function mutual() {
    const own = await mintCertificate('127.0.0.1')
    const mine = await mintCertificate('me')
    const options = { ...own, ca: mine.cert, requestCert: true, rejectUnauthorized: true }
    const server = await scriptedServer((arrival) => arrival.json(200, ANSWER), { server: createServer(options) })
    closing.push(server)
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const files = {
      cacertFile: file('ca.pem', own.cert),
      certFile: file('me.pem', mine.cert),
      keyFile: file('me.key', mine.key),
    }
    return { url: server.url, files, otherKey: file('other.key', own.key) }
  }

  it('gets that of --cert and --key', async () => {
    const { url, files } = await mutual()
    expect(await ask(url, files)).toBe(ANSWER)
  })

  it('refuses who has none, and the person learns of --cert', async () => {
    const { url, files } = await mutual()
    const { error } = JSON.parse(await ask(url, { cacertFile: files.cacertFile }))
    expect(error.message).toBe(`${url.host} wants a client certificate; give it with --cert FILE and --key FILE`)
  })

  it.each([
    ['certFile', undefined, '--key needs --cert FILE'],
    ['keyFile', undefined, '--cert needs --key FILE'],
    ['keyFile', 'other.key', 'is not the key of --cert'],
    ['keyFile', 'me.pem', 'holds no private key in PEM form'],
    ['certFile', 'me.key', 'holds no certificate in PEM form'],
    ['certFile', 'gone.pem', 'cannot be read: ENOENT'],
  ])('with %s %s nothing starts: %s', async (option, name, why) => {
    const { url, files } = await mutual()
    host = connectHost(url, { ...files, [option]: name === undefined ? undefined : join(folder, name) })
    expect(await host.ended).toBe(2)
    expect(host.logs).toEqual([expect.stringContaining(why)])
  })
})

describe('the wrong scheme', () => {
  it('https for a port without TLS is told', async () => {
    const server = await scriptedServer()
    closing.push(server)
    const { error } = JSON.parse(await ask(String(server.url).replace('http:', 'https:')))
    expect(error.message).toBe(`${server.url.host} does not speak TLS; try http://`)
    expect(error.data.causeway.delivery).toBe('not_sent')
  })

  it('http for a port with TLS is told', async () => {
    const server = await secureServer('127.0.0.1')
    const { error } = JSON.parse(await ask(String(server.url).replace('https:', 'http:')))
    expect(error.message).toContain(`the connection to ${server.url.host} broke before the answer: `)
    expect(error.message).toContain('; it may speak TLS, try https://')
  })
})

describe('a proxy', () => {
  it('is asked for a tunnel to an https server, with its credentials, and sees no more', async () => {
    const server = await secureServer('relay.test')
    const via = await proxy()
    const url = `https://relay.test:${server.url.port}/mcp`
    const HTTPS_PROXY = via.url.replace('//', '//me:p%40ss@')
    host = connectHost(url, { cacertFile: server.ca, env: { HTTPS_PROXY }, headers: ['Authorization: Bearer t'] })
    for (let call = 0; call < 2; call++) {
      host.say(CALL)
      expect(await host.next()).toBe(ANSWER)
    }
    expect(via.asked).toEqual([`CONNECT relay.test:${server.url.port}`])
    expect(via.authorizations).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`])
    expect(server.arrivals[0]?.headers).toMatchObject({
      authorization: 'Bearer t',
      host: `relay.test:${server.url.port}`,
    })
    expect(server.arrivals[0]?.headers['proxy-authorization']).toBeUndefined()
    expect(server.connections).toBe(1)
  })

  it('forwards requests to an http server', async () => {
    const via = await proxy()
    expect(await ask('http://relay.test/mcp?a=b', { env: { HTTP_PROXY: via.url } })).toContain('"by":"proxy"')
    expect(via.asked).toEqual(['POST http://relay.test/mcp?a=b'])
  })

  it('is not asked where NO_PROXY excepts the host', async () => {
    const server = await secureServer('127.0.0.1')
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' }
    expect(await ask(server.url, { cacertFile: server.ca, env })).toBe(ANSWER)
  })

  it.each([
    [407, 'put its credentials into HTTPS_PROXY'],
    [403, 'check HTTPS_PROXY and NO_PROXY'],
  ])('that refuses with %i is told: %s', async (status, what) => {
    const via = await proxy(status)
    const { error } = JSON.parse(await ask('https://relay.test/mcp', { env: { HTTPS_PROXY: via.url } }))
    expect(error.message).toContain(what)
    expect(error.data.causeway.delivery).toBe('not_sent')
  })

  it('that is not there is told by its own address', async () => {
    const via = await connectProxy()
    await via.close()
    const { error } = JSON.parse(await ask('https://relay.test/mcp', { env: { HTTPS_PROXY: via.url } }))
    expect(error.message).toContain(`nothing listens at ${via.url.slice('http://'.length)}`)
  })
})
