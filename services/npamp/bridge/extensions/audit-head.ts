import { MalformedError, MisuseError } from '../../errors.ts'
import { type CborValue, decodePayloadMap, encodeCbor } from '../../wire/cbor.ts'
import { concatOctets } from '../../wire/octets.ts'
import { utf8 } from '../../wire/utf8.ts'

/** The head of an audit chain as its relay signed it (AUDIT section 1). */
export interface AuditHead extends AuditHeadClaim {
  /** Ed25519, 32 octets. */
  readonly publicKey: Uint8Array
  /** Ed25519 over `auditHeadMessage`, 64 octets. */
  readonly signature: Uint8Array
}

export interface AuditHeadClaim {
  /** 16 octets. */
  readonly chainId: Uint8Array
  readonly sequence: bigint
  /** 32 octets. */
  readonly head: Uint8Array
}

const KEY = { CHAIN_ID: 0n, SEQUENCE: 1n, HEAD: 2n, PUBLIC_KEY: 3n, SIGNATURE: 4n } as const
const OCTETS = { CHAIN_ID: 16, HEAD: 32, PUBLIC_KEY: 32, SIGNATURE: 64 } as const
const MAX_SEQUENCE = 0xffff_ffff_ffff_ffffn

/** TLV 0x4358 (CARRIAGE section 1). Throws MisuseError ARGUMENT for octets of another length. */
export function encodeAuditHead(head: AuditHead): Uint8Array {
  const map = claimMap(head)
  map.set(KEY.PUBLIC_KEY, sized(head.publicKey, OCTETS.PUBLIC_KEY))
  map.set(KEY.SIGNATURE, sized(head.signature, OCTETS.SIGNATURE))
  return encodeCbor(map)
}

/** Throws MalformedError EXTENSION or CBOR; LimitError. The signature is the reader's to verify. */
export function decodeAuditHead(value: Uint8Array): AuditHead {
  const map = decodePayloadMap(value, 'AuditHead', 'EXTENSION')
  return {
    chainId: map.octets(KEY.CHAIN_ID, 'chain_id', OCTETS.CHAIN_ID, OCTETS.CHAIN_ID),
    sequence: sequenceOf(map.get(KEY.SEQUENCE)),
    head: map.octets(KEY.HEAD, 'head', OCTETS.HEAD, OCTETS.HEAD),
    publicKey: map.octets(KEY.PUBLIC_KEY, 'public key', OCTETS.PUBLIC_KEY, OCTETS.PUBLIC_KEY),
    signature: map.octets(KEY.SIGNATURE, 'signature', OCTETS.SIGNATURE, OCTETS.SIGNATURE),
  }
}

/** What is signed: `causeway audit head v1` || 0x00 || the encoding of keys 0 to 2. */
export function auditHeadMessage(claim: AuditHeadClaim): Uint8Array {
  return concatOctets([SIGNATURE_CONTEXT, encodeCbor(claimMap(claim))])
}

const SIGNATURE_CONTEXT = utf8('causeway audit head v1\0')

function claimMap({ chainId, sequence, head }: AuditHeadClaim): Map<CborValue, CborValue> {
  if (sequence < 0n || sequence > MAX_SEQUENCE) throw new MisuseError('ARGUMENT', 'a sequence is a u64')
  return new Map<CborValue, CborValue>([
    [KEY.CHAIN_ID, sized(chainId, OCTETS.CHAIN_ID)],
    [KEY.SEQUENCE, sequence],
    [KEY.HEAD, sized(head, OCTETS.HEAD)],
  ])
}

function sized(octets: Uint8Array, length: number): Uint8Array {
  if (octets.length !== length) throw new MisuseError('ARGUMENT', `${octets.length} octets where ${length} belong`)
  return octets
}

/** CBOR integers end at 2^64-1 by themselves. */
function sequenceOf(value: CborValue): bigint {
  if (typeof value !== 'bigint' || value < 0n) throw new MalformedError('EXTENSION', 'AuditHead has no sequence')
  return value
}
