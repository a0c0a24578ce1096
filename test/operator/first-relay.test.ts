import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { text } from './kube.ts'
import type { OperatorProcess } from './operator-process.ts'
import { SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand()
let leader: OperatorProcess | undefined

describe('an operator on an empty cluster, and then a relay', () => {
  it('makes the authority and the certificate of the control plane before there is any object', async () => {
    const { kube } = stand()
    leader = await stand().startLeading()
    const secret = await until('the certificate is there', () =>
      kube.find('Secret', SYSTEM, 'causeway-control-plane-tls'),
    )
    const certificate = new X509Certificate(text(secret, 'tls.crt'))
    const authority = new X509Certificate(text(secret, 'ca.crt'))
    expect(certificate.checkIssued(authority)).toBe(true)
    expect(certificate.checkHost(`causeway-control-plane.${SYSTEM}.svc`)).toBeDefined()
  })

  it('runs a relay: everything that its pods need is there', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'edge', { listeners: { mcp: { host: '0.0.0.0', port: 8080 } } })
    await kube.untilCondition('MeshRelay', 'shop', 'edge', 'Accepted', { status: 'True', reason: 'Accepted' })
    const kinds = ['StatefulSet', 'Service', 'ServiceAccount', 'PodDisruptionBudget', 'NetworkPolicy', 'ConfigMap']
    for (const kind of kinds) await until(`${kind} is there`, () => kube.find(kind, 'shop', 'causeway-edge'))
    const key = await until('the key', () => kube.find('Secret', 'shop', 'causeway-edge-identity-a'))
    expect(text(key, 'key.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    expect(key.metadata.ownerReferences).toBeUndefined()
    const client = await until('the certificate', () => kube.find('Secret', 'shop', 'causeway-edge-client'))
    const { uid } = (await kube.get('MeshRelay', 'shop', 'edge')).metadata
    expect(new X509Certificate(text(client, 'tls.crt')).subjectAltName).toBe(
      `URI:spiffe://causeway.local/ns/shop/relay/edge, URI:causeway:uid:${uid}`,
    )
    const bundle = await until('the bundle', () => kube.find('ConfigMap', 'shop', 'causeway-trust'))
    expect(bundle.data?.['ca.crt']).toBe(text(await kube.get('Secret', SYSTEM, 'causeway-ca'), 'tls.crt'))
  })

  it('says who the relay is, and that it is not ready yet: nobody runs pods here', async () => {
    const { kube } = stand()
    const relay = await until('the identity is told', async () => {
      const found = await kube.get('MeshRelay', 'shop', 'edge')
      return found.status?.identity === undefined ? undefined : found
    })
    expect(relay.status.identity).toMatchObject({ state: 'Active', secretName: 'causeway-edge-identity-a' })
    expect(relay.status.controller).toBe(SYSTEM)
    await kube.untilCondition('MeshRelay', 'shop', 'edge', 'Ready', { status: 'False', reason: 'Progressing' })
    await kube.untilEvent('shop', 'edge', 'KeyCreated')
  })

  it('tells how it is, and what it does', async () => {
    const operator = await stand().startOperator()
    const admin = await until('it listens', () => operator.admin)
    await until('it is ready, though another one leads', async () => (await fetch(`${admin}/readyz`)).status === 200)
    expect((await fetch(`${admin}/healthz`)).status).toBe(200)
    const metrics = await (await fetch(`${admin}/metrics`)).text()
    expect(metrics).toContain('causeway_operator_leader 0')
    expect(metrics).toMatch(/causeway_operator_requests_total\{[^}]*verb="list"[^}]*\} [1-9]/)
    await operator.stop()
    const told = await (await fetch(`${leader?.admin}/metrics`)).text()
    expect(told).toContain('causeway_operator_leader 1')
    for (const controller of ['acceptance', 'certificates', 'credentials', 'identity', 'protection', 'workload']) {
      expect(told).toMatch(new RegExp(`causeway_operator_reconciles_total{[^}]*controller="${controller}"[^}]*} [1-9]`))
      expect(told).toMatch(new RegExp(`causeway_operator_queue_depth{[^}]*controller="${controller}"[^}]*} \\d`))
    }
  })

  it('then writes nothing more', async () => {
    const { cluster } = stand()
    const writes = async () =>
      (await cluster.auditEvents()).filter(
        ({ user, verb, resource }) =>
          user === `system:serviceaccount:${SYSTEM}:causeway-operator` &&
          !['get', 'list', 'watch'].includes(verb) &&
          resource !== 'leases',
      )
    let last = -1
    await until(
      'it is quiet for a second',
      async () => {
        const { length } = await writes()
        const isQuiet = length === last
        last = length
        return isQuiet
      },
      { intervalMs: 1_000 },
    )
    const all = await writes()
    // Seven objects, three Secrets, two of certificates of the installation, a bundle, three statuses, events.
    expect(
      all.length,
      JSON.stringify(
        all.map(({ verb, requestUri }) => [verb, requestUri]),
        null,
        1,
      ),
    ).toBeLessThan(30)
  })
})
