import { type Mutant, inCore as one } from './mutant.ts'

/** Faults in the TLS transport. */
export const TRANSPORT_MUTANTS: readonly Mutant[] = [
  one(
    'a server without ALPN is good enough',
    'transports/tcp-tls/dial.ts',
    'WIRE-001',
    'if (socket.alpnProtocol !== ALPN) fail',
    "if (socket.alpnProtocol === '') fail",
  ),
  one(
    'a client without ALPN is good enough',
    'transports/tcp-tls/listen.ts',
    'WIRE-001',
    'if (socket.alpnProtocol !== ALPN) {',
    "if (socket.alpnProtocol === '') {",
  ),
  one(
    'the listener speaks n-pamp/1 too',
    'transports/tcp-tls/listen.ts',
    'WIRE-002',
    'protocols.includes(ALPN) ? ALPN : undefined',
    "protocols.includes(ALPN) ? ALPN : protocols.find((one) => one === 'n-pamp/1')",
  ),
  one(
    'the dialler takes TLS 1.2',
    'transports/tcp-tls/client-context.ts',
    'WIRE-001',
    "minVersion: 'TLSv1.3',\n      maxVersion: 'TLSv1.3',",
    "minVersion: 'TLSv1.2',\n      maxVersion: 'TLSv1.3',",
  ),
  one(
    'the listener takes TLS 1.2',
    'transports/tcp-tls/listen.ts',
    'WIRE-001',
    "minVersion: 'TLSv1.3',\n    maxVersion: 'TLSv1.3',",
    "minVersion: 'TLSv1.2',\n    maxVersion: 'TLSv1.3',",
  ),
  one(
    'one half-open connection too many',
    'transports/tcp-tls/half-open.ts',
    'OWN-023',
    'this.#total >= this.#limits.maxHalfOpen ',
    'this.#total > this.#limits.maxHalfOpen ',
  ),
  one(
    'one source takes all half-open places',
    'transports/tcp-tls/half-open.ts',
    'OWN-023',
    ' || count >= this.#limits.maxHalfOpenPerSource',
    '',
  ),
  one(
    'every address of a network is a source',
    'transports/tcp-tls/half-open.ts',
    'OWN-023',
    '.slice(0, 4)',
    '.slice(0, 8)',
  ),
  one('a place given back twice', 'transports/tcp-tls/half-open.ts', 'OWN-023', '      held = false\n', ''),
]
