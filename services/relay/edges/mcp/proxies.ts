import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** What a request says of the way it came, as far as it may be believed. */
export interface Way {
  /** Of the client, or of the nearest proxy that is not trusted. */
  readonly address: string | undefined
  /** As the client named it; undefined where no trusted proxy says so. */
  readonly host: string | undefined
  /** Whether the client came over TLS. */
  readonly secure: boolean
}

/** The proxies whose X-Forwarded-For, -Host and -Proto count; anybody else's say nothing. */
export class TrustedProxies {
  readonly #trusted = new BlockList()
  readonly #any: boolean

  /** CIDRs or single addresses. Throws RangeError where one is neither. */
  constructor(cidrs: readonly string[]) {
    this.#any = cidrs.length > 0
    for (const cidr of cidrs) this.#add(cidr)
  }

  wayOf({ headers, socket }: IncomingMessage): Way {
    const address = socket.remoteAddress
    const secure = 'encrypted' in socket
    if (!this.#any || address === undefined || !this.#trusts(address)) return { address, host: undefined, secure }
    const protocol = firstOf(headers['x-forwarded-proto'])?.toLowerCase()
    return {
      address: this.#clientOf(headers['x-forwarded-for']) ?? address,
      host: firstOf(headers['x-forwarded-host']),
      secure: protocol === undefined ? secure : protocol === 'https',
    }
  }

  /** Each proxy adds whom it was called by: the last that is no proxy of ours is as far as it can be believed. */
  #clientOf(forwardedFor: string | string[] | undefined): string | undefined {
    const addresses = listOf(forwardedFor)
    const client = addresses.findLast((address) => !this.#trusts(address)) ?? addresses[0]
    return client !== undefined && isIP(client) > 0 ? client : undefined
  }

  #trusts(address: string): boolean {
    const family = isIP(address)
    return family > 0 && this.#trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }

  #add(cidr: string): void {
    const [address = '', prefix, more] = cidr.split('/')
    const family = isIP(address)
    const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix)
    const valid = family > 0 && more === undefined && prefix !== '' && Number.isInteger(bits) && bits >= 0
    if (!valid || bits > (family === 6 ? 128 : 32)) throw new RangeError(`${JSON.stringify(cidr)} is no CIDR`)
    this.#trusted.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
  }
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return listOf(value)[0]
}

function listOf(value: string | string[] | undefined): string[] {
  const text = typeof value === 'string' ? value : (value ?? []).join(',')
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
