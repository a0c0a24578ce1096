import type { RelayIdentity } from '../channel/contract.ts'
import type { PeerCertificate } from './peer-certificate.ts'

/** The URI of the name of a relay in its certificate (CONTROL section 2). */
export function relayUri(trustDomain: string, namespace: string, relay: string): string {
  return `spiffe://${trustDomain}/ns/${namespace}/relay/${relay}`
}

/** The URI of the UID of the MeshRelay. */
export function relayUidUri(uid: string): string {
  return `${UID_PREFIX}${uid}`
}

/** Undefined: not the certificate of exactly one relay of this trust domain. */
export function relayIdentityOf(certificate: PeerCertificate, trustDomain: string): RelayIdentity | undefined {
  const names = certificate.uris.filter((uri) => uri.startsWith('spiffe:'))
  const uids = certificate.uris.filter((uri) => uri.startsWith(UID_PREFIX)).map((uri) => uri.slice(UID_PREFIX.length))
  const [name] = names
  const [uid] = uids
  if (name === undefined || names.length > 1 || uids.length > 1 || (uid !== undefined && !UID.test(uid))) {
    return undefined
  }
  const { domain, namespace, relay } = RELAY.exec(name)?.groups ?? {}
  if (domain !== trustDomain || namespace === undefined || relay === undefined) return undefined
  return { namespace, relay, uid, certificateEndsAtMs: certificate.endsAtMs }
}

const UID_PREFIX = 'causeway:uid:'
const UID = /^[0-9A-Za-z-]{1,64}$/
const RELAY =
  /^spiffe:\/\/(?<domain>[a-z0-9.-]{1,255})\/ns\/(?<namespace>[a-z0-9-]{1,63})\/relay\/(?<relay>[a-z0-9.-]{1,253})$/
