import type { LogLine } from '../fixtures/mesh/relay-process.ts'
import type { Conversation, Step } from './calls.ts'
import type { Pair } from './evidence.ts'
import type { DemoMesh } from './mesh.ts'

/** What the demo found, for machines; `story` tells the same to people. */
export interface Findings {
  readonly identities: { readonly edge: string; readonly tools: string }
  /** Process ids of the two relays. */
  readonly processes: { readonly edge: number; readonly tools: number }
  readonly link: Link
  readonly conversations: readonly Conversation[]
  readonly texts: { readonly compared: number; readonly equal: number }
  readonly ok: boolean
}

export interface Link {
  readonly address: string
  /** Whom edge found at the other end, by the signature of its handshake; and the reverse. */
  readonly edgeAuthenticated: string
  readonly toolsAuthenticated: string
  readonly profile: string
  readonly kem: string
  readonly signature: string
  readonly aead: string
  readonly tls: string
  readonly tlsGroup: string
}

export function linkOf(mesh: DemoMesh, seenByEdge: LogLine, seenByTools: LogLine): Link {
  const field = (name: string) => String(seenByEdge[name] ?? 'unknown')
  return {
    address: mesh.toolsAddress,
    edgeAuthenticated: field('peerHandle'),
    toolsAuthenticated: String(seenByTools.peerHandle ?? 'unknown'),
    profile: field('profile'),
    kem: field('kem'),
    signature: field('signature'),
    aead: field('aead'),
    tls: field('tlsVersion'),
    tlsGroup: field('tlsGroup'),
  }
}

export function findingsOf(mesh: DemoMesh, link: Link, conversations: readonly Conversation[]): Findings {
  const texts = conversations.flatMap(({ steps }) => steps.flatMap((step) => step.texts))
  const equal = texts.filter((text) => text.equal).length
  const identities = { edge: mesh.edge.peerHandle, tools: mesh.tools.peerHandle }
  const authenticated = link.edgeAuthenticated === identities.tools && link.toolsAuthenticated === identities.edge
  const ok = authenticated && texts.length > 0 && equal === texts.length
  const processes = { edge: mesh.edge.pid, tools: mesh.tools.pid }
  return { identities, processes, link, conversations, texts: { compared: texts.length, equal }, ok }
}

export function tellBeginning({ edge, tools }: DemoMesh, link: Link): string {
  return `\
Two relays, each with an identity of its own and the other's pinned in its configuration:
  edge   ${edge.peerHandle}   (process ${edge.pid})
  tools  ${tools.peerHandle}   (process ${tools.pid})

edge dialled ${link.address}; in the handshake
  edge authenticated tools as ${link.edgeAuthenticated}
  tools authenticated edge as ${link.toolsAuthenticated}
  N-PAMP profile ${link.profile}: KEM ${link.kem}, signature ${link.signature}, AEAD ${link.aead}
  outer ${link.tls}, group ${link.tlsGroup}

Each line: what a client did, what came of it, how long it took, and the SHA-256 of the JSON-RPC texts that two recorders
outside the relays took: client side = server side. -> is what the client said, <- what the server did.
`
}

export function tellConversation({ client, server, revision, steps }: Conversation): string {
  const software = server.generation === 'legacy' ? 'server-everything' : 'a server on @modelcontextprotocol/server'
  const heading = `${client.generation} client (${client.software}) and ${server.generation} server (${software}), revision ${revision}`
  return `\n${heading}\n${steps.map(tellStep).join('')}`
}

export function tellEnd({ texts, ok }: Findings): string {
  const verdict = ok ? 'no octet was changed on the way' : 'SOMETHING WAS CHANGED OR LOST ON THE WAY'
  return `\n${texts.equal} of ${texts.compared} texts are the same on both sides: ${verdict}.\n`
}

export function tellKept({ urls, folder }: DemoMesh): string {
  return `
It keeps running. Point any MCP client at
  ${urls.legacy}   (server-everything)
  ${urls.modern}   (the modern server)
The configuration is in ${folder}. Ctrl-C stops everything.
`
}

function tellStep({ what, outcome, ms, texts }: Step): string {
  return `  ${what.padEnd(45)} ${`${ms.toFixed(1)} ms`.padStart(9)}  ${outcome}\n${texts.map(tellPair).join('')}`
}

function tellPair({ side, kind, method, north, south, equal }: Pair): string {
  const arrow = side === 'request' ? '->' : '<-'
  const sign = equal ? '=' : '≠'
  const hashes = `${short(north.sha256)} ${sign} ${south === undefined ? 'nothing' : short(south.sha256)}`
  return `    ${arrow} ${(method ?? kind).padEnd(32)} ${String(north.octets).padStart(9)} octets  ${hashes}\n`
}

function short(sha256: string): string {
  return sha256.slice(0, 16)
}
