import { allDistinct } from './distinct.ts'
import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshRelay } from './mesh-relay.ts'

export const relayRules: readonly Rule<MeshRelay>[] = [
  {
    id: 'KeyFileRequired',
    message: 'is required with an npamp listener; `causeway keys generate` makes one',
    fieldPath: 'spec.identity.keyFile',
    cluster: { cel: '!has(self.listeners.npamp) || has(self.identity.keyFile)' },
    holds: ({ spec }) => spec.listeners.npamp === undefined || spec.identity.keyFile !== undefined,
  },
  {
    id: 'ListenerCertificateRequired',
    message: 'certFile and keyFile are required when tls.mode is ca',
    fieldPath: 'spec.listeners.npamp.tls',
    cluster: {
      cel:
        "!has(self.listeners.npamp) || self.listeners.npamp.tls.mode != 'ca' || " +
        '(has(self.listeners.npamp.tls.certFile) && has(self.listeners.npamp.tls.keyFile))',
    },
    holds: ({ spec }) => {
      const tls = spec.listeners.npamp?.tls
      return tls?.mode !== 'ca' || (tls.certFile !== undefined && tls.keyFile !== undefined)
    },
  },
  {
    id: 'ListenerCertificateUnused',
    message: 'certFile and keyFile belong to tls.mode ca; with mode pinned the certificate is made in memory',
    fieldPath: 'spec.listeners.npamp.tls',
    cluster: {
      cel:
        "!has(self.listeners.npamp) || self.listeners.npamp.tls.mode != 'pinned' || " +
        '(!has(self.listeners.npamp.tls.certFile) && !has(self.listeners.npamp.tls.keyFile))',
    },
    holds: ({ spec }) => {
      const tls = spec.listeners.npamp?.tls
      return tls?.mode !== 'pinned' || (tls.certFile === undefined && tls.keyFile === undefined)
    },
  },
  {
    id: 'ListenersDistinct',
    message: 'two listeners have the same host and port',
    fieldPath: 'spec.listeners',
    cluster: { cel: [apart('npamp', 'mcp'), apart('npamp', 'admin'), apart('mcp', 'admin')].join(' && ') },
    holds: ({ spec }) => {
      const taken = Object.values(spec.listeners)
        .filter((listener) => listener.port !== 0)
        .map(({ host, port }) => `${host} ${port}`)
      return new Set(taken).size === taken.length
    },
  },
  {
    id: 'HalfOpenPerSourceWithinTotal',
    message: 'halfOpenPerSource must not exceed halfOpenHandshakes',
    fieldPath: 'spec.limits.halfOpenPerSource',
    cluster: { cel: 'self.limits.halfOpenPerSource <= self.limits.halfOpenHandshakes' },
    holds: ({ spec }) => spec.limits.halfOpenPerSource <= spec.limits.halfOpenHandshakes,
  },
  {
    id: 'EventStoreWithinTotal',
    message:
      'eventStoreBytes, which one session may have, must not exceed eventStoreTotalBytes, which all have together',
    fieldPath: 'spec.limits.eventStoreBytes',
    cluster: { cel: 'self.limits.eventStoreBytes <= self.limits.eventStoreTotalBytes' },
    holds: ({ spec }) => spec.limits.eventStoreBytes <= spec.limits.eventStoreTotalBytes,
  },
  ...(['allowedHosts', 'allowedOrigins', 'trustedProxies'] as const).map(
    (field): Rule<MeshRelay> => ({
      id: 'ListenerListsDistinct',
      message: 'names one of them twice',
      fieldPath: `spec.listeners.mcp.${field}`,
      cluster: { listType: 'set' },
      holds: ({ spec }) => allDistinct(spec.listeners.mcp?.[field] ?? []),
    }),
  ),
  durationWithin('spec.limits.idleSession', ({ spec }) => spec.limits.idleSession, '1s', '168h'),
  durationWithin('spec.limits.drain', ({ spec }) => spec.limits.drain, '0s', '1h'),
]

type Listener = keyof MeshRelay['spec']['listeners']

/** CEL: two listeners do not stand on one host and port, as these are written. */
function apart(one: Listener, other: Listener): string {
  const [a, b] = [`self.listeners.${one}`, `self.listeners.${other}`]
  return `!(has(${a}) && has(${b}) && ${a}.port != 0 && ${a}.port == ${b}.port && ${a}.host == ${b}.host)`
}
