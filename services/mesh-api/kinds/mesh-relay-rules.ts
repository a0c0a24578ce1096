import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshRelay } from './mesh-relay.ts'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

export const relayRules: readonly Rule<MeshRelay>[] = [
  {
    id: 'KeyFileRequired',
    message: 'is required with an npamp listener; `causeway keys generate` makes one',
    fieldPath: 'spec.identity.keyFile',
    holds: ({ spec }) => spec.listeners.npamp === undefined || spec.identity.keyFile !== undefined,
  },
  {
    id: 'ListenerCertificateRequired',
    message: 'certFile and keyFile are required when tls.mode is ca',
    fieldPath: 'spec.listeners.npamp.tls',
    holds: ({ spec }) => {
      const tls = spec.listeners.npamp?.tls
      return tls?.mode !== 'ca' || (tls.certFile !== undefined && tls.keyFile !== undefined)
    },
  },
  {
    id: 'ListenerCertificateUnused',
    message: 'certFile and keyFile belong to tls.mode ca; with mode pinned the certificate is made in memory',
    fieldPath: 'spec.listeners.npamp.tls',
    holds: ({ spec }) => {
      const tls = spec.listeners.npamp?.tls
      return tls?.mode !== 'pinned' || (tls.certFile === undefined && tls.keyFile === undefined)
    },
  },
  {
    id: 'ListenersDistinct',
    message: 'two listeners have the same host and port',
    fieldPath: 'spec.listeners',
    holds: ({ spec }) => {
      const taken = Object.values(spec.listeners)
        .filter((listener) => listener.port !== 0)
        .map(({ host, port }) => `${host.toLowerCase()} ${port}`)
      return new Set(taken).size === taken.length
    },
  },
  {
    id: 'HalfOpenPerSourceWithinTotal',
    message: 'halfOpenPerSource must not exceed halfOpenHandshakes',
    fieldPath: 'spec.limits.halfOpenPerSource',
    holds: ({ spec }) => spec.limits.halfOpenPerSource <= spec.limits.halfOpenHandshakes,
  },
  {
    id: 'EventStoreWithinTotal',
    message:
      'eventStoreBytes, which one session may have, must not exceed eventStoreTotalBytes, which all have together',
    fieldPath: 'spec.limits.eventStoreBytes',
    holds: ({ spec }) => spec.limits.eventStoreBytes <= spec.limits.eventStoreTotalBytes,
  },
  durationWithin(
    'spec.limits.idleSession',
    ({ spec }) => spec.limits.idleSession,
    SECOND_MS,
    168 * HOUR_MS,
    '1s and 168h',
  ),
  durationWithin('spec.limits.drain', ({ spec }) => spec.limits.drain, 0, HOUR_MS, '0s and 1h'),
]
