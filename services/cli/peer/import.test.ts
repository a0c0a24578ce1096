import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { useCli } from '../../../test/cli/run-cli.ts'
import { writeExported } from './exported.ts'

const cli = useCli()
const HANDLE = `bciq${'a'.repeat(52)}`
const EXPORTED = writeExported({
  name: 'acme',
  handles: [HANDLE],
  addresses: ['npamp://relay.acme.example:8443'],
  protocols: ['mcp'],
  profile: 'Standard',
})

function importing(text: string, ...args: string[]) {
  return cli.run(undefined, ['peer', 'import', cli.file('peer.yaml', text), ...args])
}

describe('causeway peer import', () => {
  it('prints a MeshPeer for the relays that are named, and what to compare', async () => {
    const { code, out, error } = await importing(EXPORTED, '--relay', 'edge', '--relay', 'far', '--as', 'them')
    expect(code).toBe(0)
    expect(error).toContain(`whoever has the key of ${HANDLE}: compare that with them over another way`)
    expect(parse(out)).toEqual({
      apiVersion: 'mesh.causeway.dev/v1alpha1',
      kind: 'MeshPeer',
      metadata: { name: 'them' },
      spec: {
        relayRefs: [{ name: 'edge' }, { name: 'far' }],
        addresses: ['npamp://relay.acme.example:8443'],
        identity: { handles: [HANDLE] },
        acceptSuccessors: true,
        protocols: ['mcp'],
        profile: 'Standard',
      },
    })
  })

  it('makes one that only dials us a peer that we never dial', async () => {
    const exported = writeExported({
      name: 'acme',
      handles: [HANDLE],
      addresses: [],
      protocols: ['mcp'],
      profile: 'Standard',
    })
    const { code, out } = await importing(exported, '--relay', 'edge')
    expect(code).toBe(0)
    expect(parse(out)).toMatchObject({ spec: { addresses: [], dial: 'never' } })
  })

  it.each([
    ['something else', 'kind: Secret', /it must be one MeshPeer/],
    ['no YAML', '{', /is no YAML/],
    ['two documents', `${EXPORTED}---\n${EXPORTED}`, /has 2 documents: it must be one MeshPeer/],
    [
      'a backend of ours',
      `${EXPORTED}  defaultBackend: { name: secrets }\n`,
      /spec\.defaultBackend: is not for the other side/,
    ],
    ['a list of our relays', `${EXPORTED}  relayRefs: [{ name: all }]\n`, /spec\.relayRefs: is not for the other side/],
    ['anybody', EXPORTED.replace(/handles:\n {6}- .*/, 'acceptAny: true'), /spec\.identity: must be handles/],
    ['a handle that is none', EXPORTED.replace(HANDLE, 'bciq'), /spec\.identity\.handles\[0\]: must/],
    ['an address that is none', EXPORTED.replace('npamp://', 'https://'), /spec\.addresses\[0\]: /],
    ['more than it may', `${EXPORTED}${'#'.repeat(70_000)}`, /is larger than 65536 octets/],
  ])('refuses %s', async (_what, text, words) => {
    const { code, out, error } = await importing(text, '--relay', 'edge')
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(words)
  })

  it('prints nothing of a file that could move the cursor', async () => {
    const control = String.fromCharCode(27)
    for (const text of [`{ a: "${control}[2J`, `${EXPORTED}  "${control}[2J": 1\n`]) {
      const { code, error } = await importing(text, '--relay', 'edge')
      expect(code).toBe(2)
      expect(error).not.toContain(control)
    }
  })

  it('says that a file is not there', async () => {
    const { code, error } = await cli.run(undefined, ['peer', 'import', '/nonexistent/peer.yaml', '--relay', 'edge'])
    expect([code, error]).toEqual([2, expect.stringContaining('/nonexistent/peer.yaml: cannot be read (ENOENT)')])
  })

  it('needs to know whose peer it is', async () => {
    expect((await importing(EXPORTED)).error).toContain('--relay says which of your relays knows this peer')
  })
})
