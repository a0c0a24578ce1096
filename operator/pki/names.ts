import { CONTROL_PLANE_SERVICE_NAME } from '@causeway/mesh-api'
import type { LeafSubject } from './authority.ts'

/** CONTROL section 2: which relay of which mesh, and which object of that name. */
export function relaySubject(relay: {
  readonly trustDomain: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}): LeafSubject {
  const { trustDomain, namespace, name, uid } = relay
  return {
    commonName: 'causeway relay',
    names: [
      { type: 'url', value: `spiffe://${trustDomain}/ns/${namespace}/relay/${name}` },
      { type: 'url', value: `causeway:uid:${uid}` },
    ],
    usages: ['client'],
  }
}

/** The names under which the Service of the control plane is dialled. */
export function controlPlaneSubject(namespace: string): LeafSubject {
  const service = `${CONTROL_PLANE_SERVICE_NAME}.${namespace}`
  const names = [CONTROL_PLANE_SERVICE_NAME, service, `${service}.svc`, `${service}.svc.cluster.local`]
  return {
    commonName: 'causeway control plane',
    names: names.map((value) => ({ type: 'dns', value })),
    // Its replicas also call each other (CONTROL section 4).
    usages: ['server', 'client'],
  }
}
