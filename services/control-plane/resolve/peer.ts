import { type MeshPeer, parseNpampUrl, wireNameOf } from '@causeway/mesh-api'
import type { PeerIdentityIr, PeerIr, PeerTlsIr } from '../ir/peer.ts'
import type { SourceStatus } from '../sources/source.ts'
import { credential } from './credential.ts'
import { type Lookup, referred } from './lookup.ts'
import { notImplementedYet, Withheld } from './withheld.ts'

/** Throws Withheld. */
export function resolvePeer(peer: MeshPeer, status: SourceStatus, lookup: Lookup): PeerIr {
  const { spec } = peer
  return {
    kind: 'peer',
    identity: identityOf(peer, lookup),
    addresses: spec.addresses.map(parseNpampUrl),
    dial: spec.dial,
    profile: spec.profile,
    associations: spec.associations,
    tls: tlsOf(peer, status),
    postQuantum: spec.postQuantum,
    protocols: spec.protocols,
    assumedProtocols: spec.assumedProtocols,
    defaultBackend: defaultBackendOf(peer, lookup),
    maxFrameOctets: spec.maxFrameBytes,
    sessionsPerPeer: spec.limits.sessionsPerPeer,
    acceptSuccessors: spec.acceptSuccessors,
  }
}

function identityOf({ metadata, spec }: MeshPeer, lookup: Lookup): PeerIdentityIr {
  const { identity, identityFrom } = spec
  if (identityFrom !== undefined) return relayIdentity(referred(metadata.namespace, identityFrom.relayRef), lookup)
  // Both switches, again: nobody is let in because a validation was left out.
  if (identity.acceptAny === true && identity.acceptAnyConfirmed === true) return 'any'
  if (identity.handles === undefined) throw notImplementedYet('spec.trustAnchorRef')
  return { handles: identity.handles }
}

/** CONTROL section 5: who pins a relay of the same mesh follows its keys, the next and the last one included. */
function relayIdentity(relay: string, lookup: Lookup): PeerIdentityIr {
  const identity = lookup.relayIdentity(relay)
  if (identity === undefined) {
    const message = `the identity of MeshRelay ${relay} is not known yet`
    throw new Withheld('IdentityPending', 'spec.identityFrom.relayRef', message)
  }
  const { peerHandle, next, previous } = identity
  return { handles: [peerHandle, next, previous].filter((handle) => handle !== undefined) }
}

function tlsOf({ metadata: { namespace }, spec: { tls } }: MeshPeer, status: SourceStatus): PeerTlsIr | undefined {
  if (tls.mode === 'pinned') return undefined
  const { caFile, caSecretRef, caConfigMapRef, serverName } = tls
  if (caSecretRef !== undefined) {
    const entry = { kind: 'Secret', namespace, ...caSecretRef } as const
    return { ca: credential(entry, status, 'spec.tls.caSecretRef'), serverName }
  }
  if (caConfigMapRef !== undefined) {
    const entry = { kind: 'ConfigMap', namespace, ...caConfigMapRef } as const
    return { ca: credential(entry, status, 'spec.tls.caConfigMapRef'), serverName }
  }
  return caFile === undefined ? undefined : { ca: { path: caFile }, serverName }
}

function defaultBackendOf({ metadata, spec }: MeshPeer, lookup: Lookup): string | undefined {
  if (spec.defaultBackend === undefined) return undefined
  const name = referred(metadata.namespace, spec.defaultBackend)
  const backend = lookup.backend(name)
  if (backend !== undefined) return wireNameOf(backend)
  throw new Withheld('ReferencePending', 'spec.defaultBackend.name', `MeshBackend ${name} is not valid`)
}
