import { OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { ScriptedCall } from '../../../test/fixtures/edge/scripted-target.ts'
import { callRequest, clientNotification, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import { ScriptedBackend } from '../../../test/fixtures/mesh/memory-mesh.ts'
import type { CallTarget, Session } from '../exchanges/contract.ts'

async function opened(mesh: ReturnType<typeof edgeAndTools>, target: CallTarget = mesh.target): Promise<Session> {
  const session = newSession()
  const { sink } = start(target, callRequest({ method: 'initialize', session }))
  await mesh.network.settle()
  await sink.replyText()
  return session
}

describe('sessions across the mesh', () => {
  it('a session crosses with its key, and the far relay hands it to the backend as a session of its own', async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    start(mesh.target, callRequest({ session }))
    await mesh.network.settle()
    expect(mesh.backend.calls.map(({ request }) => [request.method, request.era, request.session?.id])).toEqual([
      ['initialize', 'legacy', session.id],
      ['tools/call', 'legacy', session.id],
    ])
    expect(mesh.tools.metrics.value('causeway_sessions_open', { side: 'mesh_in' })).toBe(1)
    expect(mesh.edge.metrics.value('causeway_sessions_open', { side: 'mesh_out' })).toBe(1)
  })

  it('requests of one id in many sessions do not meet', async () => {
    const mesh = edgeAndTools()
    const sessions = await Promise.all(Array.from({ length: 100 }, () => opened(mesh)))
    mesh.backend.script = (call) => call.result(`{"jsonrpc":"2.0","id":1,"result":"${call.request.session?.id}"}`)
    const calls = sessions.map((session) => start(mesh.target, callRequest({ session })))
    await mesh.network.settle()
    const texts = await Promise.all(calls.map(({ sink }) => sink.replyText()))
    expect(texts).toEqual(sessions.map(({ id }) => `{"jsonrpc":"2.0","id":1,"result":"${id}"}`))
  })

  it('a request of a session that no initialize opened is SessionLost', async () => {
    const mesh = edgeAndTools()
    const { sink } = start(mesh.target, callRequest({ session: newSession() }))
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost', outcome: OUTCOME.NOT_DELIVERED })
    expect(mesh.network.dials).toEqual([])
  })

  it('a session of one target is unknown at another', async () => {
    const other = new ScriptedBackend()
    const mesh = edgeAndTools({ backends: { other: { backend: other, peers: ['edge'] } } })
    const session = await opened(mesh)
    const { sink } = start(mesh.targetNamed('other'), callRequest({ session }))
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost' })
    expect(other.calls).toEqual([])
  })

  it.each([
    [
      'an error of the backend',
      (call: ScriptedCall) => call.error(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`),
    ],
    ['no answer', (call: ScriptedCall) => call.fail()],
  ])('%s to initialize forgets the session on both sides', async (_name, script) => {
    const mesh = edgeAndTools()
    mesh.backend.script = script
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    expect(mesh.tools.metrics.value('causeway_sessions_open', { side: 'mesh_in' })).toBe(0)
    expect(mesh.edge.metrics.value('causeway_sessions_open', { side: 'mesh_out' })).toBe(0)
    const { sink } = start(mesh.target, callRequest({ session }))
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost' })
  })

  it('the end of a session at the client is told to the backend, behind what it sent before', async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    mesh.backend.script = () => {}
    start(mesh.target, callRequest({ session }))
    mesh.target.endSession(session, 'client')
    await mesh.network.settle()
    expect(mesh.backend.calls).toHaveLength(2)
    expect(mesh.backend.ended).toEqual([{ session: expect.objectContaining({ id: session.id }), reason: 'client' }])
  })

  it('a session that the backend lost is over at the edge too', async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    mesh.backend.loseSession(session)
    await mesh.network.settle()
    expect(mesh.edge.sessionsEnded).toEqual([session.id])
    const { sink } = start(mesh.target, callRequest({ session }))
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost' })
  })

  it('a session that the backend denies in an answer is SessionLost, and gone on both sides', async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    mesh.backend.script = (call) => call.fail({ code: 'SessionLost', outcome: OUTCOME.SESSION_LOST })
    const { sink } = start(mesh.target, callRequest({ session }))
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost' })
    expect(mesh.tools.metrics.value('causeway_sessions_open', { side: 'mesh_in' })).toBe(0)
    expect(mesh.edge.metrics.value('causeway_sessions_open', { side: 'mesh_out' })).toBe(0)
  })

  it(`${requirement('MCP-021')} the end of an association ends its sessions on both sides; none moves to another`, async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    await mesh.network.pass(10_000)
    mesh.network.cut('tools')
    await mesh.network.settle()
    expect(mesh.edge.sessionsEnded).toEqual([session.id])
    expect(mesh.backend.scopesEnded).toEqual(['client'])
    const { sink } = start(mesh.target, callRequest({ session }))
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost' })
    expect(await opened(mesh)).not.toBe(session)
  })

  it('notifications of the client reach the backend in their session', async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    mesh.target.notify(clientNotification('notifications/initialized', { session }))
    await mesh.network.settle()
    expect(mesh.backend.notifications.map(({ method, session }) => [method, session?.id])).toEqual([
      ['notifications/initialized', session.id],
    ])
  })

  it('a notification of a session that the far relay does not know ends it at the edge', async () => {
    const mesh = edgeAndTools()
    const session = await opened(mesh)
    // The far relay forgets; its word about that is still on its way when the next notification comes.
    mesh.backend.loseSession(session)
    mesh.target.notify(clientNotification('notifications/progress', { session }))
    await mesh.network.settle()
    expect(mesh.backend.notifications).toEqual([])
    expect(mesh.edge.sessionsEnded).toEqual([session.id])
    expect(mesh.tools.metrics.value('causeway_notifications_dropped_total', { reason: 'unknown_session' })).toBe(1)
  })

  it('an association opens no more sessions than it may', async () => {
    const mesh = edgeAndTools({
      towardsTools: { associations: 1 },
      toolsLimits: { sessionsPerAssociation: 2 },
    })
    await opened(mesh)
    await opened(mesh)
    const { sink } = start(mesh.target, callRequest({ method: 'initialize', session: newSession() }))
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('a legacy request outside any session crosses without one', async () => {
    const mesh = edgeAndTools()
    start(mesh.target, callRequest({ era: 'legacy', method: 'tools/list' }))
    await mesh.network.settle()
    const request = mesh.backend.calls[0]?.request
    expect(request).toMatchObject({ era: 'legacy', session: undefined, method: 'tools/list' })
  })
})
