import { describe, expect, test } from 'vitest'
import type { AuditEvent } from '../cluster/api/audit.ts'
import { until } from '../cluster/wait.ts'
import { Identities } from '../fixtures/installation/identities.ts'
import { OPERATOR, SHORT_TIMES } from '../fixtures/installation/installation.ts'
import { leaderOf } from '../fixtures/installation/leader-of.ts'
import { EDGE, routeAt, TOOLS } from '../fixtures/installation/mesh-objects.ts'
import type { ObjectName } from '../fixtures/installation/mesh-reader.ts'
import { annotate, configMapPath, findData, remove, secretNames, secretPath } from '../fixtures/installation/secrets.ts'
import {
  CONVERGED,
  expectConverged,
  expectEveryCallAnswered,
  expectNoFailedCall,
  useInstallationStand,
} from '../fixtures/installation/stand.ts'

const stand = useInstallationStand({
  values: { 'operator.replicas': 2, 'controlPlane.replicas': 1 },
  variables: SHORT_TIMES,
  relaySpec: { identity: { rotation: { overlap: '3s' } } },
})

const SYSTEM = 'causeway-system'
const AUTHORITY = { namespace: SYSTEM, name: 'causeway-ca' }
const RELAYS = [EDGE, TOOLS]
const STOPPED_MS = 30_000

describe('while calls go through two relays', { timeout: 120_000 }, () => {
  test.each(RELAYS)('$name gets a new identity: no call fails, and its peer follows', async (relay) => {
    await identities().rotated(relay)
    await expectConverged(stand())
    // Sessions stay where they are for as long as they may; then their clients open others.
    await expectEveryCallAnswered(stand(), 200)
  })

  test('the leading operator is stopped in the middle of that, and woken when another one has finished', async () => {
    const { installation, cluster } = stand()
    const before = await identities().of(TOOLS)
    const leader = await leaderOf(installation, OPERATOR)
    const mark = (await cluster.auditEvents()).length
    await identities().rotate(TOOLS)
    await identities().is(TOOLS, 'Announced')
    leader.signal('SIGSTOP')
    const stoppedAtMs = performance.now()
    await until('another operator leads', async () => (await leaderOf(installation, OPERATOR)) !== leader)
    await identities().is(TOOLS, 'Retired')
    const after = await identities().of(TOOLS)
    await until('it has been stopped for as long as issue 5 says', () => performance.now() - stoppedAtMs >= STOPPED_MS)
    leader.signal('SIGCONT')
    // Its term is over: it ends, and its pod starts it again.
    await until('it has been started again', () => leader.starts === 2 && leader.isReady)
    expect(await identities().of(TOOLS)).toEqual(after)
    expect(after.peerHandle).not.toBe(before.peerHandle)
    await identities().expectOneKey(TOOLS)
    const writes = (await cluster.auditEvents()).slice(mark).filter(isKeyWritten)
    expect(writes.filter(({ code }) => code < 300)).toHaveLength(1)
    expect(writes.filter(({ code }) => code >= 300 && code !== 409)).toEqual([])
    await expectConverged(stand())
    await expectEveryCallAnswered(stand(), 500)
  })

  test('the certificate authority is replaced: every relay ends up with a certificate of the new one', async () => {
    const { cluster } = stand()
    const before = await bundleOf(EDGE)
    await annotate(cluster.client, secretPath(AUTHORITY), { 'mesh.causeway.dev/rotate-authority': 'now' })
    await until(
      'the old authority is gone from every bundle',
      async () => {
        for (const relay of RELAYS) if ((await bundleOf(relay)).includes(before.trim())) return false
        return (await secretNames(cluster.client, SYSTEM, 'causeway-ca')).length === 1
      },
      CONVERGED,
    )
    await expectNewStreams('after-authority')
    await expectNoFailedCall(stand(), 100)
  })

  test('the key of an identity is deleted: it is told, never replaced, and taken up when it is back', async () => {
    const { cluster, mesh } = stand()
    const { secretName = '' } = await identities().of(TOOLS)
    const path = secretPath({ ...TOOLS, name: secretName })
    const secret = await findData(cluster.client, path)
    await remove(cluster.client, path)
    const lost = await mesh.conditionIs('MeshRelay', TOOLS, { type: 'Ready', status: 'False', reason: 'IdentityLost' })
    expect(lost.message).toContain(secretName)
    expect(await secretNames(cluster.client, TOOLS.namespace, 'causeway-tools-identity')).toEqual([])
    const metadata = { name: secretName }
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, data: secret?.data }
    await cluster.client.send({ method: 'POST', path: `/api/v1/namespaces/${TOOLS.namespace}/secrets`, body })
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 10)
  })

  test.each([
    ['the certificate of a relay', secretPath({ ...EDGE, name: 'causeway-edge-client' })],
    ['the trust bundle of a namespace', configMapPath({ ...EDGE, name: 'causeway-trust' })],
    ['the certificate of the control plane', secretPath({ namespace: SYSTEM, name: 'causeway-control-plane-tls' })],
    ['the certificate authority', secretPath(AUTHORITY)],
  ])('%s is deleted: it is made again, and a change after it is in force', async (_what, path) => {
    const { cluster } = stand()
    const before = await findData(cluster.client, path)
    await remove(cluster.client, path)
    await until(
      'it is there again',
      async () => {
        const now = await findData(cluster.client, path)
        return now !== undefined && now.metadata.uid !== before?.metadata.uid
      },
      CONVERGED,
    )
    await expectNewStreams(`after-${path.split('/').at(-1)}`)
    await expectNoFailedCall(stand(), 10)
  })
})

/** Relays whose streams are cut get new ones, with the certificates that there are now, and a change by them. */
async function expectNewStreams(name: string): Promise<void> {
  const { installation, apply } = stand()
  installation.pods.services.cut()
  await apply(routeAt(`/${name}/mcp`))
  await expectConverged(stand())
}

function isKeyWritten({ resource, verb, name }: AuditEvent): boolean {
  return resource === 'secrets' && verb === 'create' && name.startsWith('causeway-tools-identity')
}

const identities = () => new Identities(stand())

async function bundleOf({ namespace }: ObjectName): Promise<string> {
  return (
    (await findData(stand().cluster.client, configMapPath({ namespace, name: 'causeway-trust' })))?.data['ca.crt'] ?? ''
  )
}
