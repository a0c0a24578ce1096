import { type Closure, type MeshPeer, parseNpampUrl, wireNameOf } from '@causeway/mesh-api'
import { PROFILE, PROTOCOL, type ProfileCode } from '@causeway/npamp'
import type { PeerConfig, PeerIdentity, PeerTls } from '../mesh/peer-config.ts'
import { readCertificates } from './certificates.ts'
import { qualified } from './names.ts'

export async function peerConfig(peer: MeshPeer, { backends }: Closure): Promise<PeerConfig> {
  const { metadata, spec } = peer
  const defaultBackend = backends.find(
    (backend) =>
      backend.metadata.namespace === (spec.defaultBackend?.namespace ?? metadata.namespace) &&
      backend.metadata.name === spec.defaultBackend?.name,
  )
  return {
    name: qualified(metadata),
    identity: identityOf(peer),
    addresses: spec.addresses.map(parseNpampUrl),
    dial: spec.dial,
    profile: PROFILES[spec.profile],
    associations: spec.associations,
    tls: await tlsOf(peer),
    protocols: spec.protocols.map((name) => PROTOCOLS[name]),
    assumedProtocols: spec.assumedProtocols?.map((name) => PROTOCOLS[name]),
    defaultBackend: defaultBackend && wireNameOf(defaultBackend),
    maxFrameOctets: spec.maxFrameBytes,
    sessionsPerPeer: spec.limits.sessionsPerPeer,
    acceptSuccessors: spec.acceptSuccessors,
  }
}

const PROFILES: Readonly<Record<MeshPeer['spec']['profile'], ProfileCode>> = {
  Standard: PROFILE.STANDARD,
  High: PROFILE.HIGH,
  Sovereign: PROFILE.SOVEREIGN,
}

const PROTOCOLS: Readonly<Record<MeshPeer['spec']['protocols'][number], number>> = {
  mcp: PROTOCOL.MCP,
  a2a: PROTOCOL.A2A,
}

function identityOf({ spec: { identity } }: MeshPeer): PeerIdentity {
  // Both switches, again: nobody is let in because a validation was left out.
  if (identity.acceptAny === true && identity.acceptAnyConfirmed === true) return { mode: 'any' }
  return { mode: 'handles', handles: identity.handles ?? [] }
}

async function tlsOf({ metadata, spec: { tls, postQuantum } }: MeshPeer): Promise<PeerTls> {
  if (tls.mode === 'pinned' || tls.caFile === undefined) return { mode: 'pinned', postQuantum }
  const ca = await readCertificates(tls.caFile, `MeshPeer ${qualified(metadata)}: spec.tls.caFile`)
  return { mode: 'ca', ca, serverName: tls.serverName, postQuantum }
}
