import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mintCertificate } from '../../../test/fixtures/http/certificate.ts'
import { mcpListener } from './mcp-listener.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const PLAIN = { host: '127.0.0.1', port: 8080, trustedProxies: [], allowedOrigins: [], allowedHosts: [] }

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('an mcp listener', () => {
  it('has no TLS and no URL of its own unless it says so', async () => {
    expect(await mcpListener(PLAIN)).toEqual({ ...PLAIN, tls: undefined, publicUrl: undefined })
  })

  it('has its certificates read, and its addresses made blocks', async () => {
    const { cert, key } = await mintCertificate('mcp.example.com')
    const tls = { certFile: file('c.pem', cert), keyFile: file('k.pem', key), clientCAFile: file('ca.pem', cert) }
    const publicURL = 'https://mcp.example.com/'
    const trustedProxies = ['10.0.0.0/8', '192.0.2.7', '::1']
    const listener = await mcpListener({ ...PLAIN, tls, publicURL, trustedProxies })
    expect(listener.publicUrl?.host).toBe('mcp.example.com')
    expect(listener.trustedProxies).toEqual(['10.0.0.0/8', '192.0.2.7/32', '::1/128'])
    const material = Object.entries(listener.tls?.material ?? {})
    expect(material.map(([name, octets]) => [name, Buffer.from(octets).toString()])).toEqual([
      ['cert', cert],
      ['key', key],
      ['clientCa', cert],
    ])
  })

  it('names the field of a file that is not there, or is no PEM', async () => {
    const { cert, key } = await mintCertificate('localhost')
    const gone = { certFile: file('c.pem', cert), keyFile: join(folder, 'gone.pem') }
    await expect(mcpListener({ ...PLAIN, tls: gone })).rejects.toMatchObject({
      code: 'CERTIFICATE_FILE',
      fieldPath: 'spec.listeners.mcp.tls.keyFile',
      message: `${gone.keyFile} does not exist`,
    })
    const noPem = { certFile: file('der.pem', 'DER'), keyFile: file('k.pem', key) }
    await expect(mcpListener({ ...PLAIN, tls: noPem })).rejects.toMatchObject({
      fieldPath: 'spec.listeners.mcp.tls.certFile',
      message: `${noPem.certFile} is not a PEM file`,
    })
  })

  it('refuses a key of another certificate', async () => {
    const [one, other] = [await mintCertificate('localhost'), await mintCertificate('localhost')]
    const tls = { certFile: file('c.pem', one.cert), keyFile: file('k.pem', other.key) }
    await expect(mcpListener({ ...PLAIN, tls })).rejects.toMatchObject({
      code: 'CERTIFICATE_FILE',
      fieldPath: 'spec.listeners.mcp.tls.keyFile',
      message: `${tls.keyFile} is not the key of certFile`,
    })
  })

  it('refuses a bundle for clients without any certificate, which would let none in', async () => {
    const { cert, key } = await mintCertificate('localhost')
    const tls = { certFile: file('c.pem', cert), keyFile: file('k.pem', key), clientCAFile: file('ca.pem', key) }
    await expect(mcpListener({ ...PLAIN, tls })).rejects.toMatchObject({
      code: 'CERTIFICATE_FILE',
      fieldPath: 'spec.listeners.mcp.tls.clientCAFile',
      message: `${tls.clientCAFile} has no certificate in it`,
    })
  })
})
