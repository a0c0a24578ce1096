import { describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { useOperatorStand } from './stand.ts'
import { startUnfenced } from './unfenced.ts'

const stand = useOperatorStand()

describe('two operators that both believe to be the leader', { timeout: 180_000 }, () => {
  it('make each key once: whoever is late is told 409, and nothing is lost', async () => {
    const { kube, cluster } = stand()
    const relays = Array.from({ length: 8 }, (_, index) => `relay-${index}`)
    const rotation = { every: '2s', overlap: '1s' }
    for (const name of relays) await kube.write('MeshRelay', 'shop', name, { identity: { rotation } })
    const operators = await Promise.all([startUnfenced(stand()), startUnfenced(stand())])
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
