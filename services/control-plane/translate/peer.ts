import { create } from '@bufbuild/protobuf'
import { PROTOCOL } from '@causeway/npamp'
import { Dial, type Peer, PeerSchema, PostQuantum, Profile } from '@causeway/rpc'
import type { PeerIr, ProtocolIr } from '../ir/peer.ts'
import { translateFile } from './file.ts'
import { given } from './given.ts'

export function translatePeer(peer: PeerIr): Peer {
  return create(PeerSchema, {
    identity:
      peer.identity === 'any'
        ? { case: 'any', value: {} }
        : { case: 'handles', value: { handles: [...peer.identity.handles] } },
    addresses: peer.addresses.map(({ host, port }) => ({ host, port })),
    dial: DIALS[peer.dial],
    profile: PROFILES[peer.profile],
    associations: peer.associations,
    ...given('tls', peer.tls, ({ ca, serverName }) => ({ ca: translateFile(ca), serverName: serverName ?? '' })),
    postQuantum: POST_QUANTUM[peer.postQuantum],
    protocols: peer.protocols.map(protocolId),
    ...given('assumedProtocols', peer.assumedProtocols, (names) => ({ protocols: names.map(protocolId) })),
    defaultBackend: peer.defaultBackend ?? '',
    maxFrameOctets: BigInt(peer.maxFrameOctets),
    sessionsPerPeer: peer.sessionsPerPeer,
    acceptSuccessors: peer.acceptSuccessors,
  })
}

const DIALS: Readonly<Record<PeerIr['dial'], Dial>> = {
  onDemand: Dial.ON_DEMAND,
  always: Dial.ALWAYS,
  never: Dial.NEVER,
}

const PROFILES: Readonly<Record<PeerIr['profile'], Profile>> = {
  Standard: Profile.STANDARD,
  High: Profile.HIGH,
  Sovereign: Profile.SOVEREIGN,
}

const POST_QUANTUM: Readonly<Record<PeerIr['postQuantum'], PostQuantum>> = {
  observe: PostQuantum.OBSERVE,
  prefer: PostQuantum.PREFER,
  require: PostQuantum.REQUIRE,
}

const PROTOCOL_IDS: Readonly<Record<ProtocolIr, number>> = { mcp: PROTOCOL.MCP, a2a: PROTOCOL.A2A }

function protocolId(name: ProtocolIr): number {
  return PROTOCOL_IDS[name]
}
