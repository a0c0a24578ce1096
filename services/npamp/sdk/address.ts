import { MisuseError } from '../index.ts'

/** `npamp://HOST:PORT`, an IPv6 address in brackets; the scheme has no default port. Throws MisuseError ARGUMENT. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = ADDRESS.exec(address) ?? []
  const host = bracketed ?? plain
  const number = Number(port)
  if (host === undefined || !(number >= 1 && number <= 65_535))
    throw new MisuseError('ARGUMENT', `not an address of the form npamp://host:port: ${JSON.stringify(address)}`)
  return { host, port: number }
}

const ADDRESS = /^npamp:\/\/(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):([0-9]{1,5})$/i
