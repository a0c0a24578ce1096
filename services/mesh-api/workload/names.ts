import { createHash } from 'node:crypto'

/**
 * Names of what an installation makes on a cluster. Pure functions of a relay's name, so that operator, control plane and
 * command line find the same objects without asking each other.
 */

/** A StatefulSet of a longer name gets no pods: `controller-revision-hash` is its name and 11 characters, in a label of 63. */
const MAX_NAME = 52
const KEPT_OF_LONG_NAME = 40
const DIGEST_CHARACTERS = 10
/** As a name that was cut ends: whoever is called so is told apart too, or would be taken for the one that was cut. */
const ENDS_LIKE_CUT = /-[0-9a-f]{10}$/

/**
 * `causeway-<relay>`: StatefulSet, Service, ServiceAccount, PodDisruptionBudget, NetworkPolicy and ConfigMap. What does
 * not fit, or has dots, which a label of the DNS has not, is cut and told apart by its digest.
 */
export function workloadName(relay: string): string {
  const name = `causeway-${relay}`
  if (name.length <= MAX_NAME && !name.includes('.') && !ENDS_LIKE_CUT.test(name)) return name
  const digest = createHash('sha256').update(relay).digest('hex').slice(0, DIGEST_CHARACTERS)
  const kept = name.slice(0, KEPT_OF_LONG_NAME).replaceAll('.', '-').replace(/-+$/, '')
  return `${kept}-${digest}`
}

/** The headless Service, which gives each pod a name in the DNS. */
export function podsServiceName(relay: string): string {
  return `${workloadName(relay)}-pods`
}

/** A Secret with `tls.crt` and `tls.key`: the relay's certificate towards the control plane. */
export function clientCertificateName(relay: string): string {
  return `${workloadName(relay)}-client`
}

export type IdentitySlot = 'a' | 'b'

/** A Secret with `key.pem`; there are two slots, so that one key can be announced while the other signs. */
export function identitySecretName(relay: string, slot: IdentitySlot): string {
  return `${workloadName(relay)}-identity-${slot}`
}

/** The one Secret into which everything that the relay's objects name by `secretRef` is projected. */
export function credentialsName(relay: string): string {
  return `${workloadName(relay)}-credentials`
}

/** Labels of everything that is made for one relay. */
export function workloadLabels(relay: string): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': 'causeway-relay',
    'app.kubernetes.io/instance': labelValue(relay),
    'app.kubernetes.io/managed-by': 'causeway-operator',
    [RELAY_LABEL]: labelValue(relay),
  }
}

/** A label's value has at most 63 characters; the name itself where it fits, and is no other one's that does not. */
function labelValue(relay: string): string {
  return relay.length <= 63 && !ENDS_LIKE_CUT.test(relay) ? relay : workloadName(relay)
}

export const RELAY_LABEL = 'mesh.causeway.dev/relay'

/** CONTROL section 6: present only while a user that is not itself going exists. */
export const IN_USE_FINALIZER = 'mesh.causeway.dev/in-use'

/** CONTROL section 6: an annotation with the value `now` frees an object that is held. */
export const RELEASE_ANNOTATION = 'mesh.causeway.dev/release'

export const FIELD_MANAGERS = { operator: 'causeway-operator', controlPlane: 'causeway-control-plane' } as const

export const LEASES = { operator: 'causeway-operator', controlPlane: 'causeway-control-plane' } as const

/** In each namespace that has a relay: the ConfigMap with `ca.crt`, the certificate authorities of the installation. */
export const TRUST_BUNDLE_NAME = 'causeway-trust'

/** In the installation's own namespace. */
export const CA_SECRET_NAME = 'causeway-ca'
export const CONTROL_PLANE_TLS_NAME = 'causeway-control-plane-tls'
export const CONTROL_PLANE_SERVICE_NAME = 'causeway-control-plane'

export const CONTROL_PLANE_PORTS = { config: 8443, status: 8444, admin: 9090 } as const

export const DEFAULT_TRUST_DOMAIN = 'causeway.local'

/** Keys of the Secrets and ConfigMaps above. */
export const DATA_KEYS = { certificate: 'tls.crt', key: 'tls.key', authorities: 'ca.crt', identity: 'key.pem' } as const
