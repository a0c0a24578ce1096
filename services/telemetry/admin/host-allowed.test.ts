import { expect, it } from 'vitest'
import { hostAllowed } from './host-allowed.ts'

it.each([
  // listen, Host, Origin, served
  ['127.0.0.1', 'localhost:9000', undefined, true],
  ['127.0.0.1', '127.0.0.1:9000', undefined, true],
  ['127.0.0.1', '[::1]:9000', undefined, true],
  ['127.0.0.1', 'LOCALHOST', undefined, true],
  ['localhost', 'localhost', undefined, true],
  ['127.0.0.1', undefined, undefined, true],
  ['127.0.0.1', 'evil.example.com', undefined, false],
  ['127.0.0.1', 'evil.example.com:9000', undefined, false],
  ['::1', 'localhost.evil.example.com', undefined, false],
  ['localhost', '', undefined, false],
  ['0.0.0.0', 'relay.default.svc:9000', undefined, true],
  ['0.0.0.0', 'relay:9000', 'https://evil.example.com', false],
  ['127.0.0.1', 'localhost:9000', 'http://localhost:9000', false],
] as const)('listening on %s, Host %s, Origin %s: %s', (listen, host, origin, served) => {
  const headers = { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) }
  expect(hostAllowed(headers, listen)).toBe(served)
})
