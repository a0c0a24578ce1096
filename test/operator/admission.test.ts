import { describe, expect, it } from 'vitest'
import { anApproval } from '../../services/mesh-api/fixtures/written.ts'
import { until } from '../cluster/wait.ts'
import { SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand()

const SPEC = anApproval().spec
const CONTROL_PLANE = `system:serviceaccount:${SYSTEM}:causeway-control-plane`

/** What kubectl, as somebody of the administrators, is told. */
async function as(user: string, verb: string, object: object): Promise<string> {
  const { cluster } = stand()
  const text = JSON.stringify({ apiVersion: 'mesh.causeway.dev/v1alpha1', ...object })
  try {
    return await cluster.apply(
      text,
      `--as=${user}`,
      '--as-group=system:masters',
      `--field-manager=${verb}`,
      '--force-conflicts',
    )
  } catch (error) {
    return String(error)
  }
}

const approval = (name: string, more: object = {}, namespace = 'shop') => ({
  kind: 'ApprovalRequest',
  metadata: { name, namespace },
  spec: { ...SPEC, ...more },
})

describe('who may write what into an ApprovalRequest', { timeout: 120_000 }, () => {
  it('is created by the control plane, without a decision', async () => {
    // A policy is in force some moments after it is stored.
    let tries = 0
    await until('the policy is in force', async () => {
      tries += 1
      return (await as('alice', 'person', approval(`try-${tries}`))).includes('are created by the control plane')
    })
    expect(await as('alice', 'person', approval('by-alice'))).toContain('are created by the control plane')
    const decided = { decision: 'Approved', decidedBy: CONTROL_PLANE }
    expect(await as(CONTROL_PLANE, 'plane', approval('decided', decided))).toContain('cannot be there from the start')
    expect(await as(CONTROL_PLANE, 'plane', approval('call'))).toContain('serverside-applied')
  })

  it('is decided by a person in the own name, once', async () => {
    const approve = (user: string, decidedBy: string) =>
      as(user, 'person', approval('call', { decision: 'Approved', decidedBy }))
    expect(await approve('alice', 'bob')).toContain('spec.decidedBy must be who decides, which is alice')
    expect(await as('alice', 'person', approval('call', { decision: 'Approved' }))).toMatch(/decidedBy/)
    expect(await approve('alice', 'alice')).toContain('serverside-applied')
    expect(await approve('bob', 'bob')).toMatch(/stays as it is/)
    const denied = approval('call', { decision: 'Denied', decidedBy: 'alice' })
    expect(await as('alice', 'person', denied)).toMatch(/stays as it is/)
  })

  it('never says another call', async () => {
    await as(CONTROL_PLANE, 'plane', approval('other'))
    const request = { ...(SPEC.request as object), tool: 'harmless' }
    expect(await as('alice', 'person', approval('other', { request }))).toMatch(/never change/)
    expect(await as('alice', 'person', approval('other', { expiresAt: '2030-01-01T00:00:00Z' }))).toMatch(
      /never change/,
    )
  })

  it('is nobody’s business in namespaces of others', async () => {
    await stand().kube.createNamespace('elsewhere')
    expect(await as('alice', 'person', approval('by-alice', {}, 'elsewhere'))).toContain('serverside-applied')
  })
})

describe('who changed what', { timeout: 120_000 }, () => {
  const relay = (replicas: number, metadata: object = {}) => ({
    kind: 'MeshRelay',
    metadata: { name: 'edge', namespace: 'shop', ...metadata },
    spec: { replicas },
  })
  const author = async () =>
    (await stand().kube.get('MeshRelay', 'shop', 'edge')).metadata.annotations?.['mesh.causeway.dev/changed-by']

  it('is said by every object, whatever else somebody writes there', async () => {
    await until('the policy is in force', async () => {
      await as('alice', 'person', relay(1))
      return (await author()) === 'alice'
    })
    await as('bob', 'person', relay(2))
    expect(await author()).toBe('bob')
    const forged = { annotations: { 'mesh.causeway.dev/changed-by': 'alice' } }
    await as('mallory', 'other', relay(2, forged))
    expect(await author()).toBe('bob')
    await as('mallory', 'person', relay(3, forged))
    expect(await author()).toBe('mallory')
  })

  it('is not whoever only adds a finalizer, and an apply that changes nothing changes nothing', async () => {
    const before = await author()
    await as('carol', 'tool', { kind: 'MeshRelay', metadata: { name: 'edge', namespace: 'shop', labels: { a: 'b' } } })
    expect(await author()).toBe(before)
    await as('bob', 'person', relay(4))
    const { resourceVersion } = (await stand().kube.get('MeshRelay', 'shop', 'edge')).metadata
    await as('bob', 'person', relay(4))
    expect((await stand().kube.get('MeshRelay', 'shop', 'edge')).metadata.resourceVersion).toBe(resourceVersion)
  })
})
