import type { PeerExtensions } from '../association/contract.ts'
import { MalformedError, MisuseError, NpampError } from '../errors.ts'
import { type CborValue, decodeCbor, decodePayloadMap, encodeCbor, type PayloadMap } from './cbor.ts'
import type { CborLimits } from './cbor-decode.ts'
import { MAX_FRAME_OCTETS } from './deframer.ts'
import { decodeExtensionMap, encodeExtensionMap } from './hello-extensions.ts'

/** The only NPAMP-HELLO version that exists. */
export const HELLO_VERSION = 1

export interface Hello {
  /** Highest NPAMP-HELLO version of the sender, or its echo of the peer's (HELLO-007, HELLO-019). */
  readonly version: number
  /** protocol_ids, most preferred first; 1 to 255 (HELLO-008, HELLO-026). */
  readonly protocols: readonly number[]
  readonly extensions: PeerExtensions | undefined
}

export interface ReceivedHello extends Hello {
  /** Why the extension map counts as absent although something stood there: counted, no CLOSE (CARRIAGE section 1). */
  readonly extensionFault: NpampError | undefined
  /** Deterministic encoding of the whole `protocols` array as received; a digest of it may be expected (HELLO-022). */
  readonly protocolListOctets: Uint8Array
}

/** `grease` is filler that a receiver ignores; send at least one value (HELLO-010). Throws MisuseError ARGUMENT. */
export function encodeHello(hello: Hello, grease: readonly number[]): Uint8Array<ArrayBuffer> {
  for (const id of hello.protocols)
    if (!(Number.isInteger(id) && id >= 1 && id <= 0xff)) throw new MisuseError('ARGUMENT', `${id} is no protocol_id`)
  const map = new Map<CborValue, CborValue>([
    [KEY.VERSION, BigInt(hello.version)],
    [KEY.PROTOCOLS, hello.protocols.map(BigInt)],
  ])
  if (hello.extensions !== undefined)
    map.set(KEY.PARAMS, new Map([[EXTENSION_KEY, encodeExtensionMap(hello.extensions)]]))
  if (grease.length > 0) map.set(KEY.GREASE, grease.map(BigInt))
  return encodeCbor(map)
}

/**
 * Throws MalformedError CBOR or HELLO, or LimitError: the association closes. Unknown non-negative keys, grease, unknown
 * params and entries of `protocols` that are no protocol_id are passed over (HELLO-009, HELLO-011, HELLO-012).
 * `defaultMaxFrameOctets` stands where the extension map names no largest frame.
 */
export function decodeHello(payload: Uint8Array, defaultMaxFrameOctets: number = MAX_FRAME_OCTETS): ReceivedHello {
  const map = decodePayloadMap(payload, 'HELLO', 'HELLO', HELLO_LIMITS)
  const version = map.uint(KEY.VERSION, 'version')
  if (version === 0) throw new MalformedError('HELLO', 'HELLO has version 0')
  const list = map.uints(KEY.PROTOCOLS, 'protocols')
  if (map.has(KEY.GREASE)) map.uints(KEY.GREASE, 'grease')
  const params = map.has(KEY.PARAMS) ? map.map(KEY.PARAMS, 'params') : undefined
  return {
    version,
    protocols: list.filter((id) => id >= 1n && id <= 0xffn).map(Number),
    protocolListOctets: encodeCbor(list),
    ...readExtensions(params, defaultMaxFrameOctets),
  }
}

/** Always empty (digest 05 G4). */
export function encodeHelloDone(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(0)
}

/** Accepts nothing or any deterministic CBOR map. Throws MalformedError CBOR or HELLO, or LimitError. */
export function decodeHelloDone(payload: Uint8Array): void {
  if (payload.length === 0) return
  if (!(decodeCbor(payload, HELLO_LIMITS) instanceof Map)) throw new MalformedError('HELLO', 'HELLO_DONE is not a map')
}

const KEY = { VERSION: 0n, PROTOCOLS: 1n, PARAMS: 2n, GREASE: 3n } as const
/** Key of our extension map inside `params` (CARRIAGE section 1). */
const EXTENSION_KEY = 17239n
const HELLO_LIMITS: Partial<CborLimits> = { maxOctets: 64 * 1024, maxItems: 8192 }

function readExtensions(
  params: PayloadMap | undefined,
  defaultMaxFrameOctets: number,
): Pick<ReceivedHello, 'extensions' | 'extensionFault'> {
  if (!params?.has(EXTENSION_KEY)) return { extensions: undefined, extensionFault: undefined }
  try {
    const extensions = decodeExtensionMap(params.get(EXTENSION_KEY), defaultMaxFrameOctets)
    return { extensions, extensionFault: undefined }
  } catch (error) {
    if (error instanceof NpampError) return { extensions: undefined, extensionFault: error }
    throw error
  }
}
