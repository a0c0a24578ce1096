import { RELAY_LABEL, workloadLabels } from '@causeway/mesh-api'

/** By which a relay's pods are found; never changed, because a StatefulSet's selector cannot be. */
export function selectorLabels(relay: string): Readonly<Record<string, string>> {
  const all = workloadLabels(relay)
  const value = all[RELAY_LABEL]
  return { 'app.kubernetes.io/name': 'causeway-relay', [RELAY_LABEL]: value ?? relay }
}
