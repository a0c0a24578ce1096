import { describe, expect, it } from 'vitest'
import { chooseProxy, ProxySettingError } from './proxy-choice.mjs'

const PROXIES = { HTTPS_PROXY: 'http://secure.proxy:3128', HTTP_PROXY: 'plain.proxy:8080' }

function proxy(url: string, env: Record<string, string>): string | undefined {
  return chooseProxy(new URL(url), env)?.host
}

describe('the proxy of a URL', () => {
  it('is the one for its scheme', () => {
    expect(proxy('https://a.example/mcp', PROXIES)).toBe('secure.proxy:3128')
    expect(proxy('http://a.example/mcp', PROXIES)).toBe('plain.proxy:8080')
    expect(proxy('https://a.example/mcp', { HTTP_PROXY: 'http://p' })).toBeUndefined()
    expect(proxy('https://a.example/mcp', { HTTPS_PROXY: '' })).toBeUndefined()
    expect(proxy('https://a.example/mcp', { ...PROXIES, https_proxy: 'http://lower' })).toBe('lower')
  })

  it.each(['https://localhost/', 'https://127.0.0.9:8443/', 'https://[::1]/', 'http://relay.localhost/'])(
    'is none for this machine: %s',
    (url) => expect(proxy(url, PROXIES)).toBeUndefined(),
  )

  it.each([
    ['*', true],
    ['example', true],
    ['.example', true],
    ['*.example', true],
    ['other, A.EXAMPLE', true],
    ['a.example:443', true],
    ['a.example:8443', false],
    ['xample', false],
    ['b.a.example', false],
    ['', false],
  ])('NO_PROXY=%s excepts a.example: %s', (noProxy, excepted) => {
    expect(proxy('https://a.example/', { ...PROXIES, NO_PROXY: noProxy }) === undefined).toBe(excepted)
  })

  it('excepts addresses, bracketed or not', () => {
    for (const noProxy of ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443'])
      expect(proxy('https://[2001:db8::1]/', { ...PROXIES, NO_PROXY: noProxy })).toBeUndefined()
  })

  it.each(['socks5://p:1080', 'http://'])('a setting that is no HTTP proxy is told: %s', (setting) => {
    expect(() => proxy('https://a.example/', { HTTPS_PROXY: setting })).toThrow(ProxySettingError)
  })
})
