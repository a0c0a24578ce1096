import type { CryptoProvider } from '../crypto/provider.ts'
import { MalformedError, MisuseError, NpampError } from '../errors.ts'
import { type CborValue, decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { parsePeerHandle, samePeerHandle } from './peer-handle.ts'

/** What a foreign identity (a DID, an agent id) says about a handle; ours is the form (digest 05 section 5.5). */
export interface CrossStatement {
  /** The PeerHandle that the foreign identity controls. */
  readonly controls: string
  readonly foreignId: string
  /** Unix seconds. */
  readonly notAfter: bigint
}

export interface CrossSignature {
  /** The statement as it was signed. */
  readonly statement: Uint8Array
  readonly signature: Uint8Array
}

/** Whether an identity that the caller already trusts has signed these octets. */
export type ForeignVerifier = (
  foreignId: string,
  statement: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>

/** Unlinked is never an error: an association needs no foreign identity (PH-010). */
export type ForeignLink =
  | { readonly linked: true; readonly foreignId: string; readonly notAfter: bigint }
  | { readonly linked: false; readonly why: 'missing' | 'malformed' | 'otherHandle' | 'expired' | 'badSignature' }

/** The octets to sign. Throws MalformedError PEER_HANDLE, MisuseError ARGUMENT. */
export function encodeCrossStatement(statement: CrossStatement): Uint8Array<ArrayBuffer> {
  parsePeerHandle(statement.controls)
  if (statement.foreignId === '' || statement.notAfter < 0n)
    throw new MisuseError('ARGUMENT', 'a cross statement needs foreign_id and not_after')
  return encodeCbor(
    new Map<CborValue, CborValue>([
      ['controls', statement.controls],
      ['not_after', statement.notAfter],
      ['foreign_id', statement.foreignId],
    ]),
  )
}

/** Throws MalformedError CBOR or PEER_HANDLE, or LimitError. The map has these three keys and no other. */
export function decodeCrossStatement(octets: Uint8Array): CrossStatement {
  const map = decodeCbor(octets, { maxOctets: 4096, maxDepth: 2, maxItems: 64 })
  if (!(map instanceof Map) || map.size !== 3) throw new MalformedError('CBOR', 'a cross statement has three keys')
  const controls = map.get('controls')
  const foreignId = map.get('foreign_id')
  const notAfter = map.get('not_after')
  if (typeof controls !== 'string' || typeof foreignId !== 'string' || typeof notAfter !== 'bigint' || notAfter < 0n)
    throw new MalformedError('CBOR', 'a cross statement has controls, not_after and foreign_id')
  parsePeerHandle(controls)
  return { controls, foreignId, notAfter }
}

/**
 * Links a foreign identity to the peer's handle until `notAfter` (PH-008). The handle is the association's own, the time
 * is in Unix seconds; the signature is verified last, because it is the expensive check (PH-009).
 */
export async function linkForeignIdentity(
  cross: CrossSignature | undefined,
  peerHandle: string,
  nowSeconds: bigint,
  verify: ForeignVerifier,
  provider: Pick<CryptoProvider, 'equal'>,
): Promise<ForeignLink> {
  if (cross === undefined) return { linked: false, why: 'missing' }
  const statement = readStatement(cross.statement)
  if (statement === undefined) return { linked: false, why: 'malformed' }
  if (!samePeerHandle(statement.controls, peerHandle, provider)) return { linked: false, why: 'otherHandle' }
  if (statement.notAfter <= nowSeconds) return { linked: false, why: 'expired' }
  if (!(await verify(statement.foreignId, cross.statement, cross.signature)))
    return { linked: false, why: 'badSignature' }
  return { linked: true, foreignId: statement.foreignId, notAfter: statement.notAfter }
}

function readStatement(octets: Uint8Array): CrossStatement | undefined {
  try {
    return decodeCrossStatement(octets)
  } catch (error) {
    if (error instanceof NpampError) return undefined
    throw error
  }
}
