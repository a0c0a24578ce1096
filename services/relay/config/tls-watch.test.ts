import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@causeway/npamp/transports'
import { createLogger } from '@causeway/telemetry'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mintCertificate, type TestCertificate } from '../../../test/fixtures/http/certificate.ts'
import { readMcpTls } from './mcp-listener.ts'
import type { McpTlsMaterial } from './relay-config.ts'
import { TlsWatch } from './tls-watch.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
let watching: TlsWatch | undefined
afterEach(() => {
  watching?.close()
  rmSync(folder, { recursive: true })
})

const inFolder = (name: string) => join(folder, name)

/** As careful writers do it: a new file, then its name. */
function replace(name: string, text: string): void {
  writeFileSync(inFolder('new'), text)
  renameSync(inFolder('new'), inFolder(name))
}

const pair = ({ cert, key }: TestCertificate) => `${cert}\n${key}\n`
const soon = (check: () => void) => vi.waitFor(check, { timeout: 5_000 })

async function watched(certFile = inFolder('cert.pem'), keyFile = inFolder('key.pem')) {
  const files = { certFile, keyFile, clientCaFile: undefined }
  const taken: McpTlsMaterial[] = []
  const logs: string[] = []
  const logger = createLogger({ level: 'info', destination: { write: (line) => void logs.push(line) } })
  const onChange = (material: McpTlsMaterial) => void taken.push(material)
  watching = new TlsWatch({ tls: { files, material: await readMcpTls(files) }, onChange, clock: systemClock(), logger })
  return { taken: () => taken.map(({ cert }) => Buffer.from(cert).toString()), logs: () => logs.join('') }
}

describe('certificates that change while the listener is open', () => {
  it('are taken into use once both files are there, and not before', async () => {
    const [first, second] = [await mintCertificate('localhost'), await mintCertificate('localhost')]
    replace('cert.pem', first.cert)
    replace('key.pem', first.key)
    const { taken, logs } = await watched()
    replace('cert.pem', second.cert)
    await soon(() => expect(logs()).toContain('the last ones stay'))
    expect(taken()).toEqual([])
    replace('key.pem', second.key)
    await soon(() => expect(taken()).toEqual([second.cert]))
    expect(logs()).toContain('the mcp listener has new certificates')
    expect(logs()).not.toContain(second.key.split('\n')[1])
  })

  it('are found through links, as a mounted Secret swaps them', async () => {
    const [first, second] = [await mintCertificate('localhost'), await mintCertificate('localhost')]
    replace('first.pem', pair(first))
    replace('second.pem', pair(second))
    symlinkSync('first.pem', inFolder('tls.pem'))
    const { taken } = await watched(inFolder('tls.pem'), inFolder('tls.pem'))
    unlinkSync(inFolder('tls.pem'))
    symlinkSync('second.pem', inFolder('tls.pem'))
    await soon(() => expect(taken()).toEqual([pair(second)]))
  })
})
