import { describe, expect, it } from 'vitest'
import { Admission } from './admission.ts'

function admission(boundHost: string, allowedHosts: string[] = [], allowedOrigins: string[] = []): Admission {
  return new Admission({ boundHost, allowedHosts, allowedOrigins })
}

describe('Host on a loopback listener', () => {
  const local = admission('127.0.0.1')

  it.each(['localhost', 'localhost:1234', 'LocalHost', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:65535'])(
    'takes %s',
    (host) => {
      expect(local.fault(host, undefined)).toBeUndefined()
    },
  )

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:80',
    '127.0.0.2',
    '[::2]',
    'localhost@evil.example',
    'evil.example/localhost',
    'localhost:x',
    'localhost:1:2',
    ':80',
    '::1',
    'localhost evil.example',
  ])('refuses %s', (host) => {
    expect(local.fault(host, undefined)).toBe('host')
  })

  it('refuses a foreign host after it has taken a local one', () => {
    expect(local.fault('localhost', undefined)).toBeUndefined()
    expect(local.fault('evil.example', undefined)).toBe('host')
  })
})

describe('configured hosts', () => {
  it('are taken with any port when they name none, and with that port only when they do', () => {
    const some = admission('127.0.0.1', ['Relay.example', 'other.example:8080'])
    expect(some.fault('relay.example:1', undefined)).toBeUndefined()
    expect(some.fault('other.example:8080', undefined)).toBeUndefined()
    expect(some.fault('other.example:8081', undefined)).toBe('host')
    expect(some.fault('other.example', undefined)).toBe('host')
    expect(some.fault('localhost', undefined)).toBeUndefined()
  })
})

describe('Host on other listeners', () => {
  it('takes the address listened on', () => {
    expect(admission('10.1.2.3').fault('10.1.2.3:80', undefined)).toBeUndefined()
    expect(admission('10.1.2.3').fault('10.1.2.4:80', undefined)).toBe('host')
    expect(admission('fe80::1').fault('[fe80::1]:80', undefined)).toBeUndefined()
  })

  it.each(['0.0.0.0', '::'])('takes any address but no name on %s', (bound) => {
    const open = admission(bound)
    expect(open.fault('10.1.2.3:80', undefined)).toBeUndefined()
    expect(open.fault('[fe80::1]', undefined)).toBeUndefined()
    expect(open.fault('rebound.example', undefined)).toBe('host')
  })
})

describe('Origin', () => {
  const local = admission('127.0.0.1', [], ['https://app.example', 'moz-extension://x'])

  it.each([
    undefined,
    'http://localhost',
    'https://localhost:3000',
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'HTTP://LOCALHOST',
  ])('takes %s', (origin) => {
    expect(local.fault('localhost', origin)).toBeUndefined()
  })

  it.each(['https://app.example', 'moz-extension://x'])('takes the configured %s', (origin) => {
    expect(local.fault('localhost', origin)).toBeUndefined()
  })

  it.each([
    'null',
    '',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://app.example',
    'https://app.example:444',
    'file://localhost',
    'http://localhost/x',
    'http://user@localhost',
  ])('refuses %s', (origin) => {
    expect(local.fault('localhost', origin)).toBe('origin')
  })
})
