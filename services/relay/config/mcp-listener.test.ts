import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mcpListener } from './mcp-listener.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const PLAIN = { host: '127.0.0.1', port: 8080, trustedProxies: [], allowedOrigins: [], allowedHosts: [] }

function pem(name: string, text = `-----BEGIN ${name}-----\n`): string {
  const path = join(folder, `${name}.pem`)
  writeFileSync(path, text)
  return path
}

it('a plain listener has no TLS and no URL of its own', async () => {
  expect(await mcpListener(PLAIN)).toEqual({ ...PLAIN, tls: undefined, publicUrl: undefined })
})

it('certificates are read, and addresses become blocks', async () => {
  const tls = { certFile: pem('cert'), keyFile: pem('key'), clientCAFile: pem('ca') }
  const { publicURL, trustedProxies } = {
    publicURL: 'https://mcp.example.com/',
    trustedProxies: ['10.0.0.0/8', '192.0.2.7', '::1'],
  }
  const listener = await mcpListener({ ...PLAIN, tls, publicURL, trustedProxies })
  expect(listener.publicUrl?.host).toBe('mcp.example.com')
  expect(listener.trustedProxies).toEqual(['10.0.0.0/8', '192.0.2.7/32', '::1/128'])
  expect(Object.values(listener.tls?.material ?? {}).map((octets) => Buffer.from(octets).toString())).toEqual([
    '-----BEGIN cert-----\n',
    '-----BEGIN key-----\n',
    '-----BEGIN ca-----\n',
  ])
})

it('a file that is not there, or is no PEM, is named with its field', async () => {
  const tls = { certFile: pem('cert'), keyFile: join(folder, 'gone.pem') }
  await expect(mcpListener({ ...PLAIN, tls })).rejects.toMatchObject({
    code: 'CERTIFICATE_FILE',
    fieldPath: 'spec.listeners.mcp.tls.keyFile',
    message: `${tls.keyFile} does not exist`,
  })
  const noPem = { certFile: pem('cert', 'DER'), keyFile: pem('key') }
  await expect(mcpListener({ ...PLAIN, tls: noPem })).rejects.toMatchObject({
    fieldPath: 'spec.listeners.mcp.tls.certFile',
    message: `${noPem.certFile} is not a PEM file`,
  })
})
