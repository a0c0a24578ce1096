import { durationWithin, isNone } from './duration-rule.ts'
import { grantRules } from './grant-rule.ts'
import type { Rule } from './kind.ts'

const HTTP_LISTENERS = ['mcp', 'a2a', 'agentClient'] as const
const LISTENERS = ['npamp', ...HTTP_LISTENERS, 'admin'] as const

export const relayRules: readonly Rule[] = [
  {
    id: 'ListenerCertificateRequired',
    message:
      'with tls.mode ca exactly one of secretRef and certFile with keyFile is required, as in secretRef: {name: edge-tls}',
    fieldPath: 'spec.listeners.npamp.tls',
    cel:
      "!has(self.listeners.npamp) || self.listeners.npamp.tls.mode != 'ca' || " +
      `(${hasPair('self.listeners.npamp.tls')})`,
  },
  {
    id: 'ListenerCertificateUnused',
    message:
      'certFile, keyFile and secretRef belong to tls.mode ca; with mode pinned the certificate is made in memory',
    fieldPath: 'spec.listeners.npamp.tls',
    cel:
      "!has(self.listeners.npamp) || self.listeners.npamp.tls.mode != 'pinned' || " +
      '(!has(self.listeners.npamp.tls.certFile) && !has(self.listeners.npamp.tls.keyFile) && ' +
      '!has(self.listeners.npamp.tls.secretRef))',
  },
  ...HTTP_LISTENERS.flatMap((name) => httpCertificateRules(name)),
  {
    id: 'ListenersDistinct',
    message:
      'two listeners have the same host and port; give each a port of its own, as in mcp: {port: 8080}, admin: {port: 9090}',
    fieldPath: 'spec.listeners',
    cel: pairs(LISTENERS)
      .map(([one, other]) => apart(one, other))
      .join(' && '),
  },
  {
    id: 'HalfOpenPerSourceWithinTotal',
    message: 'halfOpenPerSource must not exceed halfOpenHandshakes',
    fieldPath: 'spec.limits.halfOpenPerSource',
    cel: 'self.limits.halfOpenPerSource <= self.limits.halfOpenHandshakes',
  },
  {
    id: 'EventStoreWithinTotal',
    message:
      'eventStoreBytes, which one session may have, must not exceed eventStoreTotalBytes, which all have together',
    fieldPath: 'spec.limits.eventStoreBytes',
    cel: 'self.limits.eventStoreBytes <= self.limits.eventStoreTotalBytes',
  },
  {
    id: 'RotationBeyondOverlap',
    message:
      'every must be longer than overlap: a key is announced that long before it signs, as in {every: 720h, overlap: 168h}',
    fieldPath: 'spec.identity.rotation.every',
    cel:
      `!has(self.identity.rotation.every) || ${isNone('self.identity.rotation.every')} || ` +
      `${isNone('self.identity.rotation.overlap')} || ` +
      'duration(self.identity.rotation.every) > duration(self.identity.rotation.overlap)',
  },
  {
    id: 'StalenessKnown',
    message: 'whenStale denyUnlessReadOnly needs maxStaleness, which says after how long, as in maxStaleness: 1h',
    fieldPath: 'spec.config.maxStaleness',
    cel: "self.config.whenStale == 'serve' || has(self.config.maxStaleness)",
  },
  {
    // AUDIT section 1: a log that goes with the pod must not be the only record.
    id: 'EphemeralRecordsElsewhere',
    message: 'storage ephemeral needs durability remote or failureMode open: the log is lost with the pod',
    fieldPath: 'spec.audit.storage',
    cel: "self.audit.storage == 'persistent' || self.audit.durability == 'remote' || self.audit.failureMode == 'open'",
  },
  {
    // The claims of a StatefulSet never change, and a new set would begin without the logs of the old one.
    id: 'StorageStays',
    message: 'storage, storageSize and storageClassName cannot be changed; make another MeshRelay',
    fieldPath: 'spec.audit',
    cel:
      'self.audit.storage == oldSelf.audit.storage && self.audit.storageSize == oldSelf.audit.storageSize && ' +
      'has(self.audit.storageClassName) == has(oldSelf.audit.storageClassName) && ' +
      '(!has(self.audit.storageClassName) || self.audit.storageClassName == oldSelf.audit.storageClassName)',
  },
  durationWithin('spec.limits.idleSession', '1s', '168h'),
  durationWithin('spec.limits.drain', '0s', '1h'),
  durationWithin('spec.identity.rotation.every', '1s', '87600h'),
  durationWithin('spec.identity.rotation.overlap', '0s', '8760h'),
  durationWithin('spec.config.maxStaleness', '1s', '8760h'),
  ...grantRules,
]

type Listener = (typeof LISTENERS)[number]

function httpCertificateRules(name: (typeof HTTP_LISTENERS)[number]): Rule[] {
  const listener = `self.listeners.${name}`
  const none = `!has(${listener}) || !has(${listener}.tls)`
  return [
    {
      id: 'CertificateOnce',
      message: 'exactly one of secretRef and certFile with keyFile is required, as in secretRef: {name: edge-tls}',
      fieldPath: `spec.listeners.${name}.tls`,
      cel: `${none} || (${hasPair(`${listener}.tls`)})`,
    },
    {
      id: 'ClientCertificatesOfFiles',
      message: 'clientCAFile belongs to certFile and keyFile; with secretRef say clientCertificates: required',
      fieldPath: `spec.listeners.${name}.tls.clientCAFile`,
      cel: `${none} || !has(${listener}.tls.clientCAFile) || !has(${listener}.tls.secretRef)`,
    },
    {
      id: 'ClientCertificatesOfSecret',
      message: 'clientCertificates belongs to secretRef; with certFile and keyFile set clientCAFile',
      fieldPath: `spec.listeners.${name}.tls.clientCertificates`,
      cel: `${none} || !has(${listener}.tls.clientCertificates) || has(${listener}.tls.secretRef)`,
    },
  ]
}

/** CEL: a certificate by Secret, or by two files. */
function hasPair(tls: string): string {
  return `has(${tls}.certFile) == has(${tls}.keyFile) && has(${tls}.secretRef) != has(${tls}.certFile)`
}

function pairs<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other): [Item, Item] => [one, other]))
}

/** CEL: two listeners do not stand on one host and port, as these are written. */
function apart(one: Listener, other: Listener): string {
  const [a, b] = [`self.listeners.${one}`, `self.listeners.${other}`]
  return `!(has(${a}) && has(${b}) && ${a}.port != 0 && ${a}.port == ${b}.port && ${a}.host == ${b}.host)`
}
