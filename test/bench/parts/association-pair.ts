import {
  AEAD,
  Association,
  type AssociationOptions,
  type PeerSettings,
  PROFILE,
  PROTOCOL,
  SIGNATURE,
} from '@causeway/npamp'
import { nodeProvider } from '@causeway/npamp/crypto/node'

export interface AssociationPair {
  readonly initiator: Association
  readonly responder: Association
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER

export type NewPair = (now: number) => AssociationPair

/**
 * Makes pairs of associations over native cryptography, connected by nothing: the caller carries the octets. All pairs
 * have the same two identities.
 */
export function pairsWith(settings: PeerSettings): NewPair {
  const provider = nodeProvider()
  const identity = () => provider.signingKey(SIGNATURE.ED25519, provider.random(32))
  const common = {
    provider,
    policy: { mode: 'acceptAny', confirmed: true },
    aeads: [AEAD.AES_256_GCM],
  } as const
  const initiator: AssociationOptions = {
    role: 'initiator',
    handshake: { ...common, identity: identity(), profiles: [PROFILE.STANDARD] },
    settings,
  }
  const responder: AssociationOptions = {
    role: 'responder',
    handshake: { ...common, identity: identity(), minimumProfile: PROFILE.STANDARD },
    settings,
  }
  return (now) => ({ initiator: new Association(initiator, now), responder: new Association(responder, now) })
}

/** Two associations that speak MCP. */
export function newPair(now: number): AssociationPair {
  return pairsWith({ protocols: [PROTOCOL.MCP] })(now)
}

/** Carries octets both ways until neither end has anything to say; events are dropped. */
export function exchange({ initiator, responder }: AssociationPair, now: number): void {
  for (let moved = true; moved; ) {
    moved = carry(initiator, responder, now)
    moved = carry(responder, initiator, now) || moved
  }
  for (const end of [initiator, responder]) while (end.nextEvent() !== undefined);
}

function carry(from: Association, to: Association, now: number): boolean {
  const pieces = from.transmit(now, NO_LIMIT)
  for (const piece of pieces) to.receive(piece, now)
  return pieces.length > 0
}
