import { systemClock } from '@causeway/kube'
import { grpcStatusChannel } from '@causeway/rpc'
import { createLogger } from '@causeway/telemetry'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StatusForwarder } from '../../services/control-plane/status/forward/forwarder.ts'
import type { ObjectStatus } from '../../services/control-plane/status/object-status.ts'
import { makeFolders, mount, relayProcess } from '../fixtures/control/grpc-world.ts'
import { TestAuthority } from '../fixtures/control/test-authority.ts'
import { aBackend, aRelay, aRoute, told } from '../fixtures/control-plane/objects.ts'
import { type ServedPlane, servedPlane } from '../fixtures/control-plane/served.ts'
import { requirement } from '../requirements/requirement.ts'

/** Replicas of a control plane: any serves relays, one writes status (CONTROL section 4). */
const authority = await TestAuthority.create()
const MESH = told(1, [aRelay(), aBackend(), aRoute()])

/** Leads, and keeps what it says. */
function lead(replica: ServedPlane): Map<string, ObjectStatus> {
  const statuses = new Map<string, ObjectStatus>()
  replica.sink = replica.plane.lead(
    {
      write: (status) => statuses.set(`${status.kind} ${status.name}`, status),
      forget: () => {},
    },
    { collectingMs: 0, settleMs: 10, pendingMs: 10 },
  )
  return statuses
}

/** Says to the leader what its instances say; `opened` hears of each stream to it. */
async function follow(replica: ServedPlane, opened: () => void = () => {}): Promise<StatusForwarder> {
  const tls = await authority.controlPlane()
  const forwarder = new StatusForwarder({
    instances: replica.plane.instances,
    channelTo: (address) => {
      opened()
      return grpcStatusChannel({ address, serverName: 'localhost', tls: () => tls })
    },
    clock: systemClock(),
    random: Math.random,
    logger: createLogger({ level: 'silent' }),
  })
  onTestFinished(() => forwarder.close())
  return forwarder
}

async function aRelayAt(replica: ServedPlane) {
  const folders = await makeFolders()
  await mount(folders, await authority.relay('default', 'edge'))
  return relayProcess(folders, [replica.address])
}

const programmed = (statuses: Map<string, ObjectStatus>) => {
  const found = statuses.get('MeshRoute default/everything')?.conditions.find(({ type }) => type === 'Programmed')
  return found && `${found.status}/${found.reason}`
}

describe(`${requirement('CTL-019')} a replica that does not lead`, () => {
  test('tells the leader everything first, and then what changes', async () => {
    const [leader, other] = [await servedPlane(authority, MESH), await servedPlane(authority, MESH)]
    const statuses = lead(leader)
    const relay = await aRelayAt(other)
    await expect.poll(() => other.plane.instances.size).toBe(1)
    const forwarder = await follow(other)
    forwarder.follow(leader.statusAddress)
    await expect.poll(() => programmed(statuses)).toBe('True/Programmed')

    relay.live.refuses = ({ kind }) => kind === 'route'
    for (const { source } of [leader, other]) source.tell(told(2, [aRoute('everything', { path: '/two' })]))
    await expect.poll(() => programmed(statuses)).toBe('False/CredentialPending')
    relay.live.refuses = () => false
    relay.live.judgeAgain()
    await expect.poll(() => programmed(statuses)).toBe('True/Programmed')
    expect(statuses.get('MeshRelay default/edge')?.relayCount).toBe(1)
  })

  test('finds the next leader, and tells it everything again', async () => {
    const replicas = [await servedPlane(authority, MESH), await servedPlane(authority, MESH)]
    const [first, second] = replicas
    if (first === undefined || second === undefined) throw new Error('two were made')
    const other = await servedPlane(authority, MESH)
    await aRelayAt(other)
    const forwarder = await follow(other)
    forwarder.follow(first.statusAddress)
    const before = lead(first)
    await expect.poll(() => programmed(before)).toBe('True/Programmed')
    await first.kill()
    const after = lead(second)
    forwarder.follow(second.statusAddress)
    await expect.poll(() => programmed(after)).toBe('True/Programmed')
  })

  test('tries again while the one that it was told does not lead yet', async () => {
    const [leader, other] = [await servedPlane(authority, MESH), await servedPlane(authority, MESH)]
    await aRelayAt(other)
    await expect.poll(() => other.plane.instances.size).toBe(1)
    let streams = 0
    const forwarder = await follow(other, () => streams++)
    forwarder.follow(leader.statusAddress)
    // It has been refused.
    await expect.poll(() => streams, { timeout: 20_000 }).toBeGreaterThan(1)
    const statuses = lead(leader)
    await expect.poll(() => programmed(statuses), { timeout: 20_000 }).toBe('True/Programmed')
  })
})

test('only a control plane is listened to', async () => {
  const leader = await servedPlane(authority, MESH)
  lead(leader)
  const tls = await authority.relay('default', 'edge')
  const channel = grpcStatusChannel({ address: leader.statusAddress, serverName: 'localhost', tls: () => tls })
  expect(await channel.open(new AbortController().signal).closed).toMatchObject({ code: 'PERMISSION_DENIED' })
})
