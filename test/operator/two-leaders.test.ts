import { fromKubeconfig, KubeClient, systemClock } from '@causeway/kube'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import { LIVES, Operator } from '@causeway/operator'
import { createLogger, createMetrics } from '@causeway/telemetry'
import { describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand()

/** One that works whatever the Lease says, as a process does that does not know yet that its term is over. */
async function startUnfenced(): Promise<Operator> {
  const { kubeconfig } = await stand().cluster.credentialsFor({ namespace: SYSTEM, name: 'causeway-operator' })
  const clock = systemClock()
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
    watched: stand().watched,
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

describe('two operators that both believe to be the leader', { timeout: 180_000 }, () => {
  it('make each key once: whoever is late is told 409, and nothing is lost', async () => {
    const { kube, cluster } = stand()
    const relays = Array.from({ length: 8 }, (_, index) => `relay-${index}`)
    const rotation = { every: '2s', overlap: '1s' }
    for (const name of relays) await kube.write('MeshRelay', 'shop', name, { identity: { rotation } })
    const operators = await Promise.all([startUnfenced(), startUnfenced()])
    try {
      const handles = new Map<string, Set<string>>(relays.map((name) => [name, new Set()]))
      await until(
        'each relay has rotated twice',
        async () => {
          for (const name of relays) {
            const identity = (await kube.get('MeshRelay', 'shop', name)).status?.identity
            if (identity === undefined) continue
            handles.get(name)?.add(identity.peerHandle)
            // The key that signs is there at every moment.
            expect(await kube.find('Secret', 'shop', identity.secretName), identity.secretName).toBeDefined()
            expect((await kube.condition('MeshRelay', 'shop', name, 'Ready'))?.reason).not.toMatch(
              /^Identity(Lost|Damaged)$/,
            )
          }
          return [...handles.values()].every(({ size }) => size >= 3)
        },
        { timeoutMs: 120_000 },
      )
    } finally {
      await Promise.all(operators.map((operator) => operator.stop()))
    }
    const secrets = (await cluster.auditEvents()).filter(
      ({ resource, verb, name }) => resource === 'secrets' && verb === 'create' && name.includes('-identity-'),
    )
    expect(secrets.some(({ code }) => code === 409)).toBe(true)
    for (const { code } of secrets) expect([201, 409]).toContain(code)
    const authorities = (await cluster.auditEvents()).filter(
      ({ resource, verb, name, code }) =>
        resource === 'secrets' && verb === 'create' && name === 'causeway-ca' && code === 201,
    )
    expect(authorities).toHaveLength(1)
  })
})
