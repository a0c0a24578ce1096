import type { SignatureScheme } from '../codepoints/suites.ts'
import type { CryptoProvider, SigningKey } from '../crypto/provider.ts'
import { SIGNATURE_LAYOUT } from '../crypto/signature-layout.ts'
import { parsePeerHandle, peerHandle } from '../discovery/peer-handle.ts'
import { decodeSpki, encodeSpki, type PublicKey } from '../discovery/public-key.ts'
import { AuthenticationError, MalformedError, MisuseError } from '../errors.ts'
import { type CborValue, decodePayloadMap, encodeCbor, type PayloadMap } from '../wire/cbor.ts'
import { concatOctets } from '../wire/octets.ts'
import { utf8 } from '../wire/utf8.ts'

/** What a peer announces about its key (CONTROL section 5): from `notBeforeS` on, `next` may speak for `currentHandle`. */
export interface Successor {
  readonly currentHandle: string
  /** The key that comes after the one of `currentHandle`. */
  readonly next: PublicKey
  /** Seconds since 1970. */
  readonly notBeforeS: number
  readonly notAfterS: number
}

/** A successor whose two signatures were verified. */
export interface VerifiedSuccessor extends Successor {
  readonly nextHandle: string
}

/**
 * The statement: deterministic CBOR `{0: current handle, 1: next SPKI, 2: not_before, 3: not_after, 4: suite of the current
 * key, 5: signature by the current key, 6: by the next}`, both signatures over the label, a zero octet and the encoding of
 * keys 0 to 4. Throws MisuseError ARGUMENT for a span that is empty and for a key that succeeds itself.
 */
export function signSuccessor(
  terms: Pick<Successor, 'notBeforeS' | 'notAfterS'>,
  current: SigningKey,
  next: SigningKey,
  provider: Pick<CryptoProvider, 'hash'>,
): Uint8Array<ArrayBuffer> {
  const { notBeforeS, notAfterS } = terms
  if (!isTime(notBeforeS) || !isTime(notAfterS) || notBeforeS >= notAfterS)
    throw new MisuseError('ARGUMENT', 'a statement holds from one second to a later one')
  const currentHandle = handleOf(current.scheme, current.publicKey, provider)
  if (currentHandle === handleOf(next.scheme, next.publicKey, provider))
    throw new MisuseError('ARGUMENT', 'a key does not succeed itself')
  const claims = new Map<CborValue, CborValue>([
    [KEY.CURRENT_HANDLE, currentHandle],
    [KEY.NEXT_SPKI, encodeSpki(next)],
    [KEY.NOT_BEFORE, BigInt(notBeforeS)],
    [KEY.NOT_AFTER, BigInt(notAfterS)],
    [KEY.SUITE, BigInt(current.scheme)],
  ])
  const input = signedInput(claims)
  return encodeCbor(
    new Map([...claims, [KEY.SIGNATURE_BY_CURRENT, current.sign(input)], [KEY.SIGNATURE_BY_NEXT, next.sign(input)]]),
  )
}

export interface SuccessorCheck {
  /** The key that the handshake authenticated, or that was exchanged by hand; never one that the statement brings along. */
  readonly current: PublicKey
  /** Seconds since 1970. */
  readonly nowS: number
  readonly provider: Pick<CryptoProvider, 'hash' | 'verify'>
}

/**
 * Reads a statement and verifies both signatures: the current key names its successor, and the next key was there to agree.
 * Throws MalformedError CBOR, SUCCESSOR, KEY or PEER_HANDLE, LimitError; AuthenticationError SUCCESSOR when it is about
 * another key, does not hold at this time, or a signature does not verify.
 */
export function verifySuccessor(statement: Uint8Array, check: SuccessorCheck): VerifiedSuccessor {
  const { claims, ...read } = decode(statement)
  const { current, nowS, provider } = check
  if (read.scheme !== current.scheme || read.currentHandle !== handleOf(current.scheme, current.publicKey, provider))
    throw refused('is about another key')
  const nextHandle = handleOf(read.next.scheme, read.next.publicKey, provider)
  if (nextHandle === read.currentHandle) throw refused('names the current key as its own successor')
  if (nowS < read.notBeforeS || nowS > read.notAfterS) throw refused('does not hold at this time')
  const input = signedInput(claims)
  if (!provider.verify(current.scheme, current.publicKey, input, read.signatureByCurrent))
    throw refused('has no valid signature by the current key')
  if (!provider.verify(read.next.scheme, read.next.publicKey, input, read.signatureByNext))
    throw refused('has no valid signature by the next key')
  const { currentHandle, next, notBeforeS, notAfterS } = read
  return { currentHandle, next, nextHandle, notBeforeS, notAfterS }
}

interface Decoded extends Successor {
  readonly scheme: SignatureScheme
  readonly signatureByCurrent: Uint8Array
  readonly signatureByNext: Uint8Array
  /** Keys 0 to 4 as they came: what was signed, unknown keys left out. */
  readonly claims: ReadonlyMap<CborValue, CborValue>
}

function decode(statement: Uint8Array): Decoded {
  const map = decodePayloadMap(statement, 'a successor statement', 'SUCCESSOR', LIMITS)
  const scheme = map.uint(KEY.SUITE, 'the suite of the current key', 0xffff)
  if (!isScheme(scheme)) throw malformed(`has the unknown suite ${scheme}`)
  const currentHandle = map.text(KEY.CURRENT_HANDLE, 'the current handle')
  parsePeerHandle(currentHandle)
  const notBeforeS = map.uint(KEY.NOT_BEFORE, 'not_before')
  const notAfterS = map.uint(KEY.NOT_AFTER, 'not_after')
  if (notBeforeS >= notAfterS) throw malformed('ends before it begins')
  const next = decodeSpki(map.octets(KEY.NEXT_SPKI, 'the next key', 1, MAX_SPKI_OCTETS))
  return {
    currentHandle,
    next,
    notBeforeS,
    notAfterS,
    scheme,
    signatureByCurrent: signature(map, KEY.SIGNATURE_BY_CURRENT, 'the signature by the current key', scheme),
    signatureByNext: signature(map, KEY.SIGNATURE_BY_NEXT, 'the signature by the next key', next.scheme),
    claims: new Map(CLAIMS.map((key) => [key, map.get(key)])),
  }
}

function signature(map: PayloadMap, key: bigint, name: string, scheme: SignatureScheme): Uint8Array {
  const { signatureOctets } = SIGNATURE_LAYOUT[scheme]
  return map.octets(key, name, signatureOctets, signatureOctets)
}

function signedInput(claims: ReadonlyMap<CborValue, CborValue>): Uint8Array {
  return concatOctets([utf8('causeway successor v1'), Uint8Array.of(0), encodeCbor(claims)])
}

function handleOf(scheme: SignatureScheme, publicKey: Uint8Array, provider: Pick<CryptoProvider, 'hash'>): string {
  return peerHandle(scheme, publicKey, (data) => provider.hash('sha256', data))
}

function isScheme(value: number): value is SignatureScheme {
  return Object.hasOwn(SIGNATURE_LAYOUT, value)
}

function isTime(seconds: number): boolean {
  return Number.isSafeInteger(seconds) && seconds >= 0
}

function malformed(text: string): MalformedError {
  return new MalformedError('SUCCESSOR', `a successor statement ${text}`)
}

function refused(text: string): AuthenticationError {
  return new AuthenticationError('SUCCESSOR', `the successor statement ${text}`)
}

const KEY = {
  CURRENT_HANDLE: 0n,
  NEXT_SPKI: 1n,
  NOT_BEFORE: 2n,
  NOT_AFTER: 3n,
  SUITE: 4n,
  SIGNATURE_BY_CURRENT: 5n,
  SIGNATURE_BY_NEXT: 6n,
} as const
const CLAIMS = [KEY.CURRENT_HANDLE, KEY.NEXT_SPKI, KEY.NOT_BEFORE, KEY.NOT_AFTER, KEY.SUITE] as const

/** Two signatures and a key of ML-DSA-87, the largest there are, take 12 kB. */
const LIMITS = { maxOctets: 16_384, maxDepth: 4, maxItems: 64 }
const MAX_SPKI_OCTETS = 4_096
