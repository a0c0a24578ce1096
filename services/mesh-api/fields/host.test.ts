import { BlockList, isIP, isIPv6 } from 'node:net'
import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressBlock,
  allowedHost,
  allowedOrigin,
  httpUrl,
  listenHost,
  npampUrl,
  parseNpampUrl,
  publicUrl,
} from './host.ts'

const accepts = (schema: { safeParse(text: string): { success: boolean } }, text: string) =>
  schema.safeParse(text).success

describe('npamp URLs', () => {
  it.each([
    ['npamp://tools:7000', 'tools', 7000],
    ['npamp://tools.example.com.:1', 'tools.example.com.', 1],
    ['npamp://tools_1.compose:65535', 'tools_1.compose', 65_535],
    ['npamp://192.0.2.1:7000', '192.0.2.1', 7000],
    ['npamp://[2001:db8::1]:7000', '2001:db8::1', 7000],
    ['npamp://[::]:7000', '::', 7000],
  ])('%s', (url, host, port) => {
    expect(accepts(npampUrl(), url)).toBe(true)
    expect(parseNpampUrl(url)).toEqual({ host, port })
  })

  it.each([
    'npamp://tools',
    'npamp://tools:',
    'npamp://tools:0',
    'npamp://tools:65536',
    'npamp://tools:070',
    'npamp://:7000',
    'npamp://user@tools:7000',
    'npamp://user:secret@tools:7000',
    'npamp://tools:7000/',
    'npamp://tools:7000?x',
    'npamp://tools:7000#x',
    'npamp://2001:db8::1:7000',
    'npamp://[2001:db8::1]',
    'npamp://[1::2::3]:7000',
    'npamp://-tools:7000',
    'npamp://to ols:7000',
    'npamp://tools:7000\n',
    'NPAMP://tools:7000',
    'https://tools:7000',
    'tools:7000',
  ])('%j is refused', (url) => expect(accepts(npampUrl(), url)).toBe(false))
})

describe('an npamp URL', () => {
  it(`${requirement('WIRE-044')} says where a peer is and nothing else: nothing in it could ask for another profile`, () => {
    for (const ask of ['?profile=standard', '/?profile=1', '/standard', '#profile=standard', ';profile=standard'])
      expect(accepts(npampUrl(), `npamp://tools:7000${ask}`)).toBe(false)
    expect(accepts(npampUrl(), 'npamp://standard@tools:7000')).toBe(false)
    expect(Object.keys(parseNpampUrl('npamp://tools:7000'))).toEqual(['host', 'port'])
  })
})

describe('backend URLs', () => {
  it.each([
    'http://localhost:3000/mcp',
    'https://tools.example.com',
    'https://tools.example.com/',
    'https://tools.example.com/a/b;c=d,e/f?x=1&y=%20',
    'http://[::1]:3000/mcp',
    'https://tools.example.com/a@b',
    'https://tools.example.com?x',
  ])('%s', (url) => expect(accepts(httpUrl(), url)).toBe(true))

  it.each([
    'ftp://tools/',
    'http://',
    'http:///mcp',
    'http://user@tools/',
    'http://user:secret@tools/',
    'http://tools/#fragment',
    'http://tools:0/',
    'http://tools:99999/',
    'http://tools/a b',
    'http://tools/\u00e9',
    'http://tools\\evil/',
    'http://tools/a\\b',
    ' http://tools/',
    'http://tools/\n',
    '//tools/',
    `http://tools/${'a'.repeat(2048)}`,
  ])('%j is refused', (url) => expect(accepts(httpUrl(), url)).toBe(false))

  it('what is accepted means to the HTTP client what it says', () => {
    const text = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.stringMatching(/^https?:\/\/[-a-z0-9.@:[\]\\/?#%]{1,30}$/),
    )
    fc.assert(
      fc.property(text, (url) => {
        if (!accepts(httpUrl(), url)) return
        const parsed = URL.parse(url)
        // Numeric hosts such as 1.2.3.456 look like names; the client refuses them when it dials.
        if (parsed === null) return
        expect([parsed.username, parsed.password, parsed.hash]).toEqual(['', '', ''])
        expect(url.startsWith(`${parsed.protocol}//`)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('addresses to listen on', () => {
  it('takes exactly the IPv6 spellings that Node takes, but for dotted tails and zones', () => {
    const group = fc.stringMatching(/^[0-9a-fA-F]{0,5}$/)
    const text = fc.oneof(
      fc.ipV6(),
      fc.array(group, { minLength: 2, maxLength: 9 }).map((groups) => groups.join(':')),
    )
    fc.assert(
      fc.property(text, (host) => {
        if (host.includes('.')) return
        expect(accepts(listenHost(), host)).toBe(host !== '' && (isIPv6(host) || !host.includes(':')))
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'my-host'])('%s', (host) =>
    expect(accepts(listenHost(), host)).toBe(true),
  )
  it.each(['', '[::1]', 'a b', '127.0.0.1:80', 'http://x', `${'a'.repeat(64)}.de`])('%j is refused', (host) =>
    expect(accepts(listenHost(), host)).toBe(false),
  )
})

describe('what clients may call a listener', () => {
  it.each(['relay', 'relay:8080', '[::1]:8080', '[::1]'])('Host %s', (host) =>
    expect(accepts(allowedHost(), host)).toBe(true),
  )
  it.each(['', '*', 'http://relay', 'relay/', '::1', 'a@b'])('Host %j is refused', (host) =>
    expect(accepts(allowedHost(), host)).toBe(false),
  )
  it.each(['https://app.example.com', 'http://localhost:5173', 'vscode-webview://abc'])('Origin %s', (origin) =>
    expect(accepts(allowedOrigin(), origin)).toBe(true),
  )
  it.each(['*', 'null', 'https://app.example.com/', 'app.example.com', 'https://a@b'])(
    'Origin %j is refused',
    (origin) => expect(accepts(allowedOrigin(), origin)).toBe(false),
  )
})

describe('public URLs', () => {
  it.each(['https://mcp.example.com', 'http://mcp.example.com:8443/', 'https://[2001:db8::1]/a/b', 'https://a/tools/'])(
    '%s',
    (url) => {
      expect(accepts(publicUrl(), url)).toBe(true)
      expect(URL.canParse(url)).toBe(true)
    },
  )

  it.each([
    'mcp.example.com',
    'ws://a',
    'https://a?x',
    'https://a/#x',
    'https://u:p@a',
    'https://a//b',
    'https://a/ b',
  ])('not %s', (url) => expect(accepts(publicUrl(), url)).toBe(false))
})

describe('blocks of addresses', () => {
  it.each(['10.0.0.0/8', '0.0.0.0/0', '192.0.2.7', '192.0.2.7/32', '::/0', 'fd00::/8', '2001:db8::1/128', '::1'])(
    '%s',
    (block) => {
      expect(accepts(addressBlock(), block)).toBe(true)
      const [address = '', prefix] = block.split('/')
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      const add = () => new BlockList().addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
      expect(add, 'what the platform reads too').not.toThrow()
    },
  )

  it.each(['10.0.0.0/33', '10.0.0/8', '256.0.0.1', '010.0.0.1', 'fd00::/129', 'fd00::/08', 'proxy', '10.0.0.0/', ''])(
    'not %s',
    (block) => expect(accepts(addressBlock(), block)).toBe(false),
  )
})
