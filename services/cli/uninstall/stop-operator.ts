import { delay, isKubeError, type KubeClient } from '@causeway/kube'
import { DEPLOYMENT, POD } from '../cluster/kube-types.ts'
import { OPERATOR_NAME } from '../cluster/names.ts'

const POLL_MS = 250
/** Longer than a pod's grace period. */
const LIMIT_MS = 45_000

/**
 * Scales the operator to nothing and waits until none of its pods is left: one that still runs would hold again what is
 * freed. Answers false when some pod is left after 45 seconds; an operator that is not there is stopped.
 */
export async function stopOperator(client: KubeClient, namespace: string): Promise<boolean> {
  const operator = { namespace, name: OPERATOR_NAME }
  const patch = { spec: { replicas: 0 } }
  try {
    await client.patch(DEPLOYMENT, operator, { kind: 'merge', patch }, { subresource: 'scale' })
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
  const labelSelector = `app.kubernetes.io/name=${OPERATOR_NAME}`
  const deadlineMs = client.clock.now() + LIMIT_MS
  while (client.clock.now() < deadlineMs) {
    const { items } = await client.list({ type: POD, namespace, labelSelector, metadataOnly: true })
    if (items.length === 0) return true
    await delay(client.clock, POLL_MS, new AbortController().signal)
  }
  return false
}
