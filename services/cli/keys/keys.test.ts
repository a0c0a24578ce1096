import { X509Certificate } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verifySuccessor } from '@causeway/npamp'
import { createIdentityFile, nodeProvider } from '@causeway/npamp/crypto/node'
import { describe, expect, it } from 'vitest'
import { useCli } from '../../../test/cli/run-cli.ts'

const cli = useCli()
const run = (...args: string[]) => cli.run(undefined, args)
const at = (name: string) => join(cli.folder, name)

describe('causeway keys announce', () => {
  it('writes a statement that whoever knows the current key verifies', async () => {
    const [current, next] = [
      await createIdentityFile(at('a.pem'), { overwrite: true }),
      await createIdentityFile(at('b.pem'), { overwrite: true }),
    ]
    const { code, out } = await run(
      'keys',
      'announce',
      at('a.pem'),
      at('b.pem'),
      '--out',
      at('s.cbor'),
      '--valid-for',
      '2h',
    )

    expect(code).toBe(0)
    expect(out).toContain(`current    ${current.peerHandle}\nnext       ${next.peerHandle}\n`)
    const nowS = Math.floor(Date.now() / 1000)
    const check = { current: current.key, nowS, provider: nodeProvider() }
    const verified = verifySuccessor(new Uint8Array(readFileSync(at('s.cbor'))), check)
    expect(verified.nextHandle).toBe(next.peerHandle)
    expect(verified.notAfterS - verified.notBeforeS).toBe(7200)
  })

  it.each([
    ['the same key twice', ['a.pem', 'a.pem'], 2, /a\.pem has the key of .*a\.pem/],
    ['a key that is not there', ['a.pem', 'nothing.pem'], 2, /nothing\.pem does not exist/],
  ])('refuses %s', async (_what, [current = '', next = ''], expected, words) => {
    await createIdentityFile(at('a.pem'), { overwrite: true })
    const { code, error } = await run('keys', 'announce', at(current), at(next), '--out', at('s.cbor'))
    expect([code, error]).toEqual([expected, expect.stringMatching(words)])
  })

  it.each([
    [['a.pem'], /name the two keys, or a relay: causeway keys announce edge\.key next\.key/],
    [
      ['a.pem', 'b.pem', '--relay', 'edge'],
      /name the two keys, or a relay: causeway keys announce edge\.key next\.key/,
    ],
    [['a.pem', 'b.pem', '--valid-for', 'ever'], /--valid-for is as in/],
  ])('does not take %j', async (args, words) => {
    const { code, error } = await run('keys', 'announce', ...args)
    expect([code, error]).toEqual([2, expect.stringMatching(words)])
  })
})

describe('causeway keys ca', () => {
  const certificate = (name: string) => new X509Certificate(readFileSync(at(name)))

  it('makes what a control plane and its relays show each other, for their owner only', async () => {
    const names = ['--control-plane', 'mesh.example', '--relay', 'default/edge', '--relay', 'team-a/far']
    const { code, out } = await run('keys', 'ca', '--out', at('pki'), ...names, '--valid-for', '24h')

    expect(code).toBe(0)
    const authority = certificate('pki/ca.crt')
    const server = certificate('pki/control-plane/tls.crt')
    expect(server.checkHost('mesh.example')).toBe('mesh.example')
    expect(server.verify(authority.publicKey)).toBe(true)
    expect(certificate('pki/control-plane/ca.crt').fingerprint256).toBe(authority.fingerprint256)
    const far = certificate('pki/relays/team-a/far/control-plane/tls.crt')
    expect(far.subjectAltName).toBe('URI:spiffe://causeway.local/ns/team-a/relay/far')
    expect(far.verify(authority.publicKey)).toBe(true)
    expect(certificate('pki/relays/team-a/far/trust/ca.crt').fingerprint256).toBe(authority.fingerprint256)
    expect(far.validToDate.getTime() - far.validFromDate.getTime()).toBeLessThan(25 * 60 * 60 * 1000)
    for (const key of ['ca.key', 'control-plane/tls.key', 'relays/default/edge/control-plane/tls.key']) {
      expect(statSync(at(`pki/${key}`)).mode & 0o777, key).toBe(0o600)
    }
    expect(out).toContain(`relay team-a/far  --mounts ${at('pki')}/relays/team-a/far  until `)
  })

  it('signs again with the authority that is there', async () => {
    rmSync(at('pki'), { recursive: true, force: true })
    await run('keys', 'ca', '--out', at('pki'), '--relay', 'default/edge')
    const [authority, before] = [
      certificate('pki/ca.crt'),
      certificate('pki/relays/default/edge/control-plane/tls.crt'),
    ]
    await run('keys', 'ca', '--out', at('pki'), '--relay', 'default/edge', '--trust-domain', 'other.example')
    const after = certificate('pki/relays/default/edge/control-plane/tls.crt')
    expect(certificate('pki/ca.crt').fingerprint256).toBe(authority.fingerprint256)
    expect(after.serialNumber).not.toBe(before.serialNumber)
    expect(after.verify(authority.publicKey)).toBe(true)
    expect(after.subjectAltName).toContain('spiffe://other.example/')
  })

  it.each([
    [['--relay', '../../etc'], /as in default\/edge/],
    [[], /nothing to do/],
    [['--relay', 'a/b', '--valid-for', '0s'], /--valid-for is as in/],
  ])('does not take %j', async (args, words) => {
    const { code, error } = await run('keys', 'ca', '--out', at('pki'), ...args)
    expect([code, error]).toEqual([2, expect.stringMatching(words)])
  })
})
