/** Strict deterministic CBOR (digest 05 section 1). */
export { type CborLimits, decodeCbor } from './cbor-decode.ts'
export { encodeCbor } from './cbor-encode.ts'
export { decodePayloadMap, PayloadMap } from './cbor-payload-map.ts'
export { CborFloat, type CborMap, CborSimple, CborTag, type CborValue } from './cbor-value.ts'
