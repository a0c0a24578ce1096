import { describe, expect, it } from 'vitest'
import { Admission } from './admission.ts'

function admission(boundHost: string, allowedHosts: string[] = [], allowedOrigins: string[] = []): Admission {
  return new Admission({ boundHost, allowedHosts, allowedOrigins })
}

function fault(of: Admission, host: string | undefined, origin: string | undefined) {
  return of.fault({ host, origin, secure: false, routeOrigins: ['https://Route.example'] })
}

describe('Host on a loopback listener', () => {
  const local = admission('127.0.0.1')

  it.each(['localhost', 'localhost:1234', 'LocalHost', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:65535'])(
    'takes %s',
    (host) => {
      expect(fault(local, host, undefined)).toBeUndefined()
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
    expect(fault(local, host, undefined)).toBe('host')
  })

  it('refuses a foreign host after it has taken a local one', () => {
    expect(fault(local, 'localhost', undefined)).toBeUndefined()
    expect(fault(local, 'evil.example', undefined)).toBe('host')
  })
})

describe('configured hosts', () => {
  it('are taken with any port when they name none, and with that port only when they do', () => {
    const some = admission('127.0.0.1', ['Relay.example', 'other.example:8080'])
    expect(fault(some, 'relay.example:1', undefined)).toBeUndefined()
    expect(fault(some, 'other.example:8080', undefined)).toBeUndefined()
    expect(fault(some, 'other.example:8081', undefined)).toBe('host')
    expect(fault(some, 'other.example', undefined)).toBe('host')
    expect(fault(some, 'localhost', undefined)).toBeUndefined()
  })
})

describe('Host on other listeners', () => {
  it('takes the address listened on', () => {
    expect(fault(admission('10.1.2.3'), '10.1.2.3:80', undefined)).toBeUndefined()
    expect(fault(admission('10.1.2.3'), '10.1.2.4:80', undefined)).toBe('host')
    expect(fault(admission('fe80::1'), '[fe80::1]:80', undefined)).toBeUndefined()
  })

  it.each(['0.0.0.0', '::'])('takes any address but no name on %s', (bound) => {
    const open = admission(bound)
    expect(fault(open, '10.1.2.3:80', undefined)).toBeUndefined()
    expect(fault(open, '[fe80::1]', undefined)).toBeUndefined()
    expect(fault(open, 'rebound.example', undefined)).toBe('host')
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
    expect(fault(local, 'localhost', origin)).toBeUndefined()
  })

  it.each(['https://app.example', 'moz-extension://x'])('takes the configured %s', (origin) => {
    expect(fault(local, 'localhost', origin)).toBeUndefined()
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
    expect(fault(local, 'localhost', origin)).toBe('origin')
  })

  it('takes that of the route, and no other of its kind', () => {
    expect(fault(local, 'localhost', 'https://route.example')).toBeUndefined()
    expect(fault(local, 'localhost', 'http://route.example')).toBe('origin')
    expect(
      local.fault({ host: 'localhost', origin: 'https://route.example', secure: false, routeOrigins: undefined }),
    ).toBe('origin')
  })

  it('takes the one that the request went to, in the scheme that it came by', () => {
    const some = admission('127.0.0.1', ['relay.example'])
    const arrival = { host: 'relay.example:8080', routeOrigins: undefined }
    expect(some.fault({ ...arrival, origin: 'http://relay.example:8080', secure: false })).toBeUndefined()
    expect(some.fault({ ...arrival, origin: 'https://relay.example:8080', secure: false })).toBe('origin')
    expect(some.fault({ ...arrival, origin: 'https://relay.example:8080', secure: true })).toBeUndefined()
    expect(some.fault({ ...arrival, origin: 'http://relay.example:8081', secure: false })).toBe('origin')
  })
})

describe('the public URL', () => {
  it('names a host and an origin that are served', () => {
    const publicUrl = new URL('https://mesh.example:8443/base')
    const open = new Admission({ boundHost: '127.0.0.1', allowedHosts: [], allowedOrigins: [], publicUrl })
    expect(fault(open, 'mesh.example:8443', undefined)).toBeUndefined()
    expect(fault(open, 'mesh.example', undefined)).toBeUndefined()
    expect(fault(open, 'localhost', 'https://mesh.example:8443')).toBeUndefined()
    expect(fault(open, 'localhost', 'https://mesh.example')).toBe('origin')
    expect(fault(open, 'other.example', undefined)).toBe('host')
  })
})
