/** One N-PAMP frame as it stands on the wire, read by code that shares nothing with the product. */
export interface WireFrame {
  readonly flags: number
  readonly type: number
  readonly channel: number
  readonly sequence: bigint
  /** The whole frame, header first. */
  readonly octets: Buffer
}

export const HEADER_OCTETS = 36
export const ENC = 0x02
export const CONTROL = 0x0000
export const BRIDGE = 0x000d

/** Cuts one direction of a connection into frames. Throws on anything that is no frame. */
export class FrameReader {
  #rest = Buffer.alloc(0)

  push(octets: Buffer): WireFrame[] {
    this.#rest = Buffer.concat([this.#rest, octets])
    const frames: WireFrame[] = []
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame)
    return frames
  }

  #next(): WireFrame | undefined {
    if (this.#rest.length < HEADER_OCTETS) return undefined
    const header = this.#rest.subarray(0, HEADER_OCTETS)
    check(header)
    const length = HEADER_OCTETS + header.readUInt32BE(17)
    if (this.#rest.length < length) return undefined
    const octets = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return {
      flags: header.readUInt8(4) & 0x0f,
      type: header.readUInt16BE(5),
      channel: header.readUInt16BE(7),
      sequence: header.readBigUInt64BE(9),
      octets,
    }
  }
}

function check(header: Buffer): void {
  const reserved = header.subarray(25)
  const fits =
    header.toString('latin1', 0, 4) === 'NPAM' &&
    header.readUInt8(4) >>> 4 === 2 &&
    header.readUInt32BE(21) === crc32c(header.subarray(0, 21)) &&
    reserved.every((octet) => octet === 0)
  if (!fits) throw new Error(`no frame header: ${header.toString('hex')}`)
}

/** The same frame with a header that adds up again, as an attacker would send it. */
export function withFreshCrc(octets: Buffer): Buffer {
  octets.writeUInt32BE(crc32c(octets.subarray(0, 21)), 21)
  return octets
}

/** Castagnoli, bit by bit: slow, and right at a glance. */
function crc32c(octets: Buffer): number {
  let crc = 0xffff_ffff
  for (const octet of octets) {
    crc ^= octet
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0)
  }
  return ~crc >>> 0
}
