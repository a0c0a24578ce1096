import { isPeerHandle, PROFILE, PROTOCOL, type ProfileCode } from '@causeway/npamp'
import { Dial, type Peer, PostQuantum, Profile } from '@causeway/rpc'
import type { PeerConfig, PeerIdentity, PeerTls } from '../mesh/peer-config.ts'
import type { FileReader } from './file-reader.ts'
import { number } from './numbers.ts'
import { certificatesOf, MAX_PEM_OCTETS } from './pem.ts'
import { ConfigProblem, invalid } from './problem.ts'

/** Reads the bundle of authorities that it names. Throws ConfigProblem. */
export async function readPeer(name: string, peer: Peer, reader: FileReader): Promise<PeerConfig> {
  for (const protocol of peer.protocols) requireImplemented(protocol)
  return {
    name,
    identity: identityOf(peer),
    addresses: peer.addresses.map(({ host, port }) => ({ host, port })),
    dial: known(DIALS, peer.dial, 'spec.dial'),
    profile: known(PROFILES, peer.profile, 'spec.profile'),
    associations: peer.associations,
    tls: await tlsOf(peer, reader),
    protocols: peer.protocols,
    assumedProtocols: peer.assumedProtocols?.protocols,
    defaultBackend: peer.defaultBackend === '' ? undefined : peer.defaultBackend,
    maxFrameOctets: number(peer.maxFrameOctets),
    sessionsPerPeer: peer.sessionsPerPeer,
    acceptSuccessors: peer.acceptSuccessors,
  }
}

const DIALS: Readonly<Record<number, PeerConfig['dial']>> = {
  [Dial.ON_DEMAND]: 'onDemand',
  [Dial.ALWAYS]: 'always',
  [Dial.NEVER]: 'never',
}

const PROFILES: Readonly<Record<number, ProfileCode>> = {
  [Profile.STANDARD]: PROFILE.STANDARD,
  [Profile.HIGH]: PROFILE.HIGH,
  [Profile.SOVEREIGN]: PROFILE.SOVEREIGN,
}

const POST_QUANTUM: Readonly<Record<number, PeerTls['postQuantum']>> = {
  [PostQuantum.OBSERVE]: 'observe',
  [PostQuantum.PREFER]: 'prefer',
  [PostQuantum.REQUIRE]: 'require',
}

function known<Value>(table: Readonly<Record<number, Value>>, value: number, fieldPath: string): Value {
  const found = table[value]
  if (found === undefined) throw invalid(fieldPath, 'this version knows no such value')
  return found
}

function requireImplemented(protocol: number): void {
  if (protocol === PROTOCOL.MCP) return
  throw new ConfigProblem('NotImplemented', 'spec.protocols', 'spec.protocols is not implemented yet')
}

/** Nobody is let in because something is missing. */
function identityOf({ identity }: Peer): PeerIdentity {
  if (identity.case === 'any') return { mode: 'any' }
  const handles = identity.value?.handles ?? []
  if (handles.length === 0) throw invalid('spec.identity', 'nobody is pinned')
  const wrong = handles.findIndex((handle) => !isPeerHandle(handle))
  if (wrong >= 0) throw invalid(`spec.identity.handles[${wrong}]`, 'this is no PeerHandle')
  return { mode: 'handles', handles }
}

async function tlsOf({ tls, postQuantum: stage }: Peer, reader: FileReader): Promise<PeerTls> {
  const postQuantum = known(POST_QUANTUM, stage, 'spec.postQuantum')
  if (tls === undefined) return { mode: 'pinned', postQuantum }
  const file = await reader.read(tls.ca, CA, MAX_PEM_OCTETS)
  const serverName = tls.serverName === '' ? undefined : tls.serverName
  return { mode: 'ca', ca: certificatesOf(file), serverName, postQuantum }
}

const CA = { path: 'spec.tls.caFile', mounted: 'spec.tls' }
