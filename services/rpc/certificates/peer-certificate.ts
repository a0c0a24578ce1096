import { X509Certificate } from 'node:crypto'

/** What a verified certificate says of its holder. */
export interface PeerCertificate {
  readonly uris: readonly string[]
  readonly dnsNames: readonly string[]
  /** Unix milliseconds. */
  readonly endsAtMs: number
}

/** Undefined: it has a name that cannot be read without doubt, so that none of its names is believed. */
export function readPeerCertificate(der: Uint8Array): PeerCertificate | undefined {
  const certificate = new X509Certificate(der)
  const names = readNames(certificate.subjectAltName ?? '')
  if (names === undefined) return undefined
  return {
    uris: names.filter(({ type }) => type === 'URI').map(({ value }) => value),
    dnsNames: names.filter(({ type }) => type === 'DNS').map(({ value }) => value),
    endsAtMs: certificate.validToDate.getTime(),
  }
}

interface Name {
  readonly type: string
  readonly value: string
}

/** Node puts a value in quotes where it has a character that could be taken for the start of another name. */
function readNames(text: string): readonly Name[] | undefined {
  if (text === '') return []
  const names = text.split(', ').map((part) => NAME.exec(part)?.groups)
  return names.every((name) => name !== undefined)
    ? names.map(({ type = '', value = '' }) => ({ type, value }))
    : undefined
}

const NAME = /^(?<type>[A-Za-z ]+):(?<value>[^",]*)$/
