import { type Clock, fromKubeconfig, KubeClient, systemClock } from '@causeway/kube'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import { LIVES, Operator } from '@causeway/operator'
import { createLogger, createMetrics } from '@causeway/telemetry'
import { type OperatorStand, SYSTEM } from './stand.ts'

/**
 * An operator in this process that works whatever the Lease says, as one does that does not know yet that its term is over;
 * with a clock of the test's.
 */
export async function startUnfenced(stand: OperatorStand, clock: Clock = systemClock()): Promise<Operator> {
  const { kubeconfig } = await stand.cluster.credentialsFor({ namespace: SYSTEM, name: 'causeway-operator' })
  const connection = await fromKubeconfig({ file: kubeconfig })
  const operator = new Operator({
    client: new KubeClient({ connection, clock, fieldManager: 'causeway-operator' }),
    clock,
    random: Math.random,
    provider: nodeProvider(),
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    installation: {
      name: SYSTEM,
      namespace: SYSTEM,
      trustDomain: 'causeway.local',
      relayImage: 'causeway:test',
      imagePullPolicy: 'IfNotPresent',
    },
    watched: stand.watched,
    instance: 'test',
    timing: {
      lives: { ...LIVES, settleMs: 200 },
      identitySettleMs: 200,
      deletionHoldMs: 3_600_000,
      watchSilenceMs: 150_000,
    },
  })
  operator.start()
  operator.lead()
  return operator
}
