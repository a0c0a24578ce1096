import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import { CEL } from './never-accepted.ts'

export const routeRules: readonly Rule[] = [
  {
    id: 'ExactlyOneForm',
    message:
      'exactly one of transparent and terminating must be set, as in transparent: {target: {backendRef: {name: search}}}',
    fieldPath: 'spec.transparent',
    cel: 'has(self.transparent) != has(self.terminating)',
  },
  {
    id: 'ExactlyOneTarget',
    message: 'exactly one of backendRef and peer must be set, as in backendRef: {name: search}',
    fieldPath: 'spec.transparent.target',
    cel: '!has(self.transparent) || ' + 'has(self.transparent.target.backendRef) != has(self.transparent.target.peer)',
  },
  {
    id: 'ExactlyOneTarget',
    message: 'exactly one of backendRef and peer must be set, as in backendRef: {name: search}',
    fieldPath: 'spec.terminating.targets[]',
    at: 'spec.terminating.targets[]',
    cel: 'has(self.backendRef) != has(self.peer)',
  },
  {
    id: 'ExactlyOneAction',
    message: 'exactly one of redact and deny must be set, as in redact: [/address/street]',
    fieldPath: 'spec.terminating.guardrails[]',
    at: 'spec.terminating.guardrails[]',
    cel: 'has(self.redact) != has(self.deny)',
  },
  {
    id: 'AuthenticationSaysHow',
    message: 'at least one of clientCertificate, accessKey and jwt must be set, as in clientCertificate: {}',
    fieldPath: 'spec.authentication',
    cel:
      '!has(self.authentication) || has(self.authentication.clientCertificate) || ' +
      'has(self.authentication.accessKey) || has(self.authentication.jwt)',
  },
  {
    id: 'PrincipalsAuthenticated',
    message:
      'principals need authentication, without which nobody is known, as in authentication: {clientCertificate: {}}',
    fieldPath: 'spec.principals',
    cel: '!has(self.principals) || has(self.authentication)',
  },
  {
    // A client, a browser above all, normalises these away before it asks.
    id: 'PathWithoutDots',
    message: 'must not have the segments "." or ".."',
    fieldPath: 'spec.path',
    cel: "!self.path.matches('/[.][.]?(/|$)')",
  },
  {
    // CARRIAGE section 1, and digest 10 section 1: passing the client's token on upstream is forbidden.
    id: 'ForwardsNoCredentials',
    message:
      "authorization, cookie and proxy-* are the client's credentials for this relay, and never go to another server; " +
      'give the backend its own with spec.mcp.headers of its MeshBackend',
    fieldPath: 'spec.forwardHeaders',
    cel: `!self.forwardHeaders.exists(name, ${CEL.holdsCredentials})`,
  },
  {
    id: 'ForwardsNoFraming',
    message:
      'host, content-*, connection, expect, http2-settings, keep-alive, te, trailer, transfer-encoding and upgrade ' +
      'belong to one connection or one body, and mean nothing on another',
    fieldPath: 'spec.forwardHeaders',
    cel: `!self.forwardHeaders.exists(name, ${CEL.isOfOneConnection} && !(${CEL.holdsCredentials}))`,
  },
  {
    id: 'ForwardsNothingOfMcp',
    message:
      'mcp-*, accept, accept-encoding and last-event-id are written by the relays themselves, and mcp-name and ' +
      'mcp-param-* always cross; leave them out',
    fieldPath: 'spec.forwardHeaders',
    cel: `!self.forwardHeaders.exists(name, ${CEL.isOfTheRelay} || name.startsWith('mcp-'))`,
  },
  {
    id: 'CapturesNoCredentials',
    message: 'authorization, cookie and proxy-* are credentials, and are never recorded',
    fieldPath: 'spec.captureHeaders',
    cel: `!self.captureHeaders.exists(name, ${CEL.holdsCredentials})`,
  },
  durationWithin('spec.cors.maxAge', '0s', '24h'),
  durationWithin('spec.limits.requestTimeout', '1ms', '24h'),
]
