import { EFFECT, OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, clientNotification, modernRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import { ScriptedBackend } from '../../../test/fixtures/mesh/memory-mesh.ts'
import { MAX_STALL_MS } from './delivery.ts'

describe('an exchange across the mesh', () => {
  it(`${requirement('MCP-039', 'MCP-016')} carries request and answer octet for octet, its ids and numbers as they are written`, async () => {
    const mesh = edgeAndTools()
    const params =
      '{ "n":9007199254740993, "x" : 1.0,"s":"\\u00e9\\/" , "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"} }'
    const answer = '{"result" : {"big":12345678901234567890,"e":1E2}, "id": 90071992547409931 ,"jsonrpc":"2.0"}'
    mesh.backend.script = (call) => call.result(answer)
    const request = modernRequest({ id: '90071992547409931', params })
    const { sink } = start(mesh.target, request)
    await mesh.network.settle()
    const [call] = mesh.backend.calls
    expect(call?.text).toBe(Buffer.from(request.octets).toString())
    expect(call?.id).toBe('90071992547409931')
    expect(await sink.replyText()).toBe(answer)
  })

  it('tells the target what it needs: method, era, effect, parameters', async () => {
    const mesh = edgeAndTools()
    const parameters = new Map([
      ['mcp-name', 'echo'],
      ['mcp-param-region', 'eu'],
    ])
    start(mesh.target, modernRequest({ parameters }))
    start(mesh.target, modernRequest({ method: 'tools/list', id: '2' }))
    await mesh.network.settle()
    expect(mesh.backend.calls.map(({ request }) => [request.method, request.era, request.effect])).toEqual([
      ['tools/call', 'modern', EFFECT.DESTRUCTIVE],
      ['tools/list', 'modern', EFFECT.READ_ONLY],
    ])
    expect(mesh.backend.calls[0]?.request.parameters).toEqual(parameters)
  })

  it(`${requirement('MCP-022')} the version of MCP crosses in the message only, whatever the edge hands over beside it`, async () => {
    const mesh = edgeAndTools()
    const request = modernRequest({ parameters: new Map([['mcp-protocol-version', '2026-07-28']]) })
    start(mesh.target, request)
    await mesh.network.settle()
    const [call] = mesh.backend.calls
    expect(call?.request.parameters).toEqual(new Map())
    expect(call?.text).toBe(Buffer.from(request.octets).toString())
  })

  it(`${requirement('MCP-024')} passes the label on unchanged`, async () => {
    const mesh = edgeAndTools()
    start(mesh.target, modernRequest({ effect: EFFECT.NON_IDEMPOTENT_WRITE }))
    await mesh.network.settle()
    expect(mesh.backend.calls[0]?.request.effect).toBe(EFFECT.NON_IDEMPOTENT_WRITE)
  })

  it('brings the status of the backend and its error objects back as they are', async () => {
    const mesh = edgeAndTools()
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method","data":{"a":[1.0]}}}'
    mesh.backend.script = (call) => call.error(error, { status: 404, parameters: new Map([['retry-after', '7']]) })
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    const reply = await sink.end
    expect(reply).toMatchObject({ kind: 'error', status: 404 })
    expect('octets' in reply && Buffer.from(reply.octets).toString()).toBe(error)
    expect('parameters' in reply && reply.parameters.get('retry-after')).toBe('7')
  })

  it('says of a call under way when its association is lost that it was, and with which peer; its log too', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    mesh.network.cut('tools')
    await mesh.network.settle()
    const message = 'the association with peer tools was lost while the call was under way'
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message })
    expect(mesh.edge.logs.some((line) => line.includes(message))).toBe(true)
  })

  it('brings a failure of the backend back with its code, outcome and status', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = (call) => call.fail({ outcome: OUTCOME.UNKNOWN, status: 502 })
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, status: 502 })
  })

  it('brings notifications to the exchange that they belong to', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const calls = [start(mesh.target, modernRequest({ id: '1' })), start(mesh.target, modernRequest({ id: '2' }))]
    await mesh.network.settle()
    mesh.backend.calls[1]?.notify('{"jsonrpc":"2.0","method":"notifications/progress","params":{"n":2}}')
    mesh.backend.calls[0]?.notify('{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}')
    mesh.backend.calls[0]?.result()
    await mesh.network.settle()
    expect(calls.map(({ sink }) => sink.notifications)).toEqual([
      ['{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}'],
      ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"n":2}}'],
    ])
    expect(calls.map(({ sink }) => sink.ends.length)).toEqual([1, 0])
  })

  it.each([
    ['that does not exist', 'nothing'],
    ['that the peer may not reach', 'private'],
  ])('to a target %s ends as MethodUnsupported, not sent', async (_name, name) => {
    const backend = new ScriptedBackend()
    const mesh = edgeAndTools({ backends: { private: { backend, peers: ['somebody'] } } })
    const { sink } = start(mesh.targetNamed(name), modernRequest())
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'MethodUnsupported', outcome: OUTCOME.NOT_DELIVERED })
    mesh.targetNamed(name).notify(clientNotification('notifications/x'))
    await mesh.network.settle()
    expect(mesh.tools.metrics.value('causeway_notifications_dropped_total', { reason: 'unknown_target' })).toBe(1)
    expect(backend.calls).toEqual([])
    expect(backend.notifications).toEqual([])
  })

  it('has an unknown outcome when its association is lost after it was sent', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    mesh.network.cut('tools')
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN })
    expect(mesh.backend.calls[0]?.cancels).toEqual(['disconnect'])
  })

  it('goes to another association when its own is lost before it was sent', async () => {
    const mesh = edgeAndTools()
    start(mesh.target, modernRequest())
    await mesh.network.settle()
    // Queued in the same turn in which the connection breaks: nothing has been sealed yet.
    const { sink } = start(mesh.target, modernRequest({ id: '2' }))
    mesh.network.cut('tools')
    await mesh.network.pass(500)
    expect(await sink.replyText()).toContain('"id":2')
    expect(mesh.backend.calls.map(({ id }) => id)).toEqual(['1', '2'])
  })

  it('of the legacy era is never cancelled by the loss of an association', async () => {
    const mesh = edgeAndTools()
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    mesh.backend.script = () => {}
    start(mesh.target, callRequest({ session }))
    await mesh.network.settle()
    mesh.network.cut('tools')
    await mesh.network.settle()
    expect(mesh.backend.calls[1]?.cancels).toEqual([])
    expect(mesh.backend.scopesEnded).toEqual(['client'])
  })
})

describe('cancelling across the mesh', () => {
  it('breaks the call off at the target and ends once, as cancelled', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink, handle } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    handle.cancel('disconnect')
    await mesh.network.settle()
    expect(mesh.backend.calls[0]?.cancels).toEqual(['disconnect'])
    mesh.backend.calls[0]?.fail({ outcome: OUTCOME.CANCELLED })
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.CANCELLED })
  })

  it('lets the real answer win the race', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink, handle } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    handle.cancel('disconnect')
    mesh.backend.calls[0]?.result()
    await mesh.network.settle()
    expect(await sink.replyText()).toContain('"result"')
  })

  it('gives up after 60 s without any answer, its outcome unknown', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink, handle } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    handle.cancel('deadline')
    await mesh.network.pass(61_000)
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.UNKNOWN })
  })

  it("a legacy client's own cancel reaches the server in its session, word for word", async () => {
    const mesh = edgeAndTools()
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    mesh.backend.script = () => {}
    start(mesh.target, callRequest({ session, id: '7' }))
    await mesh.network.settle()
    const cancel = clientNotification('notifications/cancelled', { session, params: '{ "requestId": 7, "reason":"x"}' })
    mesh.target.notify(cancel)
    await mesh.network.settle()
    expect(mesh.backend.notifications.map(({ octets }) => Buffer.from(octets).toString())).toEqual([
      Buffer.from(cancel.octets).toString(),
    ])
    expect(mesh.backend.calls[1]?.cancels).toEqual([])
  })

  it('a call that its legacy client cancels before it was sent never leaves, and ends as cancelled', async () => {
    const mesh = edgeAndTools()
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    const { sink } = start(mesh.target, callRequest({ session, id: '7' }))
    mesh.target.notify(clientNotification('notifications/cancelled', { session, params: '{"requestId":7.0}' }))
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.CANCELLED })
    expect(mesh.backend.calls).toHaveLength(1)
    expect(mesh.backend.notifications).toEqual([])
  })

  it('in a session that the backend has lost meanwhile, the call ends at once: nobody could be told', async () => {
    const mesh = edgeAndTools()
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    mesh.backend.script = () => {}
    const { handle } = start(mesh.target, callRequest({ session, id: '7' }))
    await mesh.network.settle()
    mesh.backend.loseSession(session)
    handle.cancel('deadline')
    await mesh.network.settle()
    expect(mesh.backend.notifications).toEqual([])
    expect(mesh.backend.calls[1]?.cancels).toEqual(['abandoned'])
  })

  it('a deadline in a legacy session reaches the server as a cancel of that request', async () => {
    const mesh = edgeAndTools()
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    mesh.backend.script = () => {}
    const { handle } = start(mesh.target, callRequest({ session, id: '"a"' }))
    await mesh.network.settle()
    handle.cancel('deadline')
    await mesh.network.settle()
    expect(mesh.backend.notifications.map(({ octets }) => JSON.parse(Buffer.from(octets).toString()))).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } },
    ])
  })
})

describe('slow receivers', () => {
  const event = (octets: number): string =>
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(octets)}"}}`

  it('a client that takes no more than 4 MiB of events loses its exchange, and nobody else does', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    const slow = start(mesh.target, modernRequest({ id: '1' }))
    const other = start(mesh.target, modernRequest({ id: '2' }))
    await mesh.network.settle()
    slow.sink.answer = 'wait'
    for (let n = 0; n < 10; n++) {
      mesh.backend.calls[0]?.notify(event(512 * 1024))
      await mesh.network.settle()
    }
    expect(await slow.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN })
    await mesh.network.settle()
    expect(mesh.backend.calls[0]?.cancels).toEqual(['disconnect'])
    mesh.backend.calls[1]?.result()
    await mesh.network.settle()
    expect(await other.sink.replyText()).toContain('"id":2')
  })

  it('a client that takes nothing for 30 s loses its exchange', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    sink.answer = 'wait'
    mesh.backend.calls[0]?.notify(event(10))
    await mesh.network.pass(MAX_STALL_MS + 100)
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.UNKNOWN })
  })

  it('a client that is behind and catches up gets everything in order', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = () => {}
    const { sink, handle } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    sink.answer = 'wait'
    for (let n = 0; n < 5; n++) mesh.backend.calls[0]?.notify(event(n))
    mesh.backend.calls[0]?.result()
    await mesh.network.settle()
    expect(sink.notifications).toHaveLength(1)
    sink.answer = 'ok'
    handle.resume()
    expect(sink.notifications).toEqual([0, 1, 2, 3, 4].map(event))
    expect(sink.ends).toHaveLength(1)
  })

  it('beyond the budget the link is not read, for 5 s at most; then whoever holds most loses its exchange, and all go on', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 }, edgeLimits: { heldOctets: 5 * 1024 * 1024 } })
    mesh.backend.script = () => {}
    const slow = [1, 2].map((id) => start(mesh.target, modernRequest({ id: String(id) })))
    const other = start(mesh.target, modernRequest({ id: '3' }))
    await mesh.network.settle()
    for (const { sink } of slow) sink.answer = 'wait'
    const [first, second, third] = mesh.backend.calls
    // The first event is taken by the sink; three and four are held.
    for (let n = 0; n < 4; n++) first?.notify(event(1000 * 1024))
    await mesh.network.settle()
    for (let n = 0; n < 5; n++) second?.notify(event(800 * 1024))
    await mesh.network.settle()
    third?.result()
    await mesh.network.pass(4_500)
    expect(other.sink.ends).toEqual([])
    await mesh.network.pass(600)
    expect(await other.sink.replyText()).toContain('"id":3')
    expect(slow.map(({ sink }) => sink.ends.length).sort()).toEqual([0, 1])
  })

  it('the far relay does not read a source whose peer is behind, and goes on when the queue has drained', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    start(mesh.target, modernRequest())
    await mesh.network.settle()
    const [call] = mesh.backend.calls
    // Within one turn nothing leaves the queue of 8 MiB.
    const answers = Array.from({ length: 9 }, () => call?.notify(event(1024 * 1024)))
    expect(answers.slice(0, 7)).toEqual(Array(7).fill('ok'))
    expect(answers.at(-1)).toBe('wait')
    await mesh.network.settle()
    expect(call?.resumes).toBe(1)
  })

  it('answers too are not read from their source while the queue is full, and read on when it has drained', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    const calls = Array.from({ length: 12 }, (_, id) => start(mesh.target, modernRequest({ id: String(id) })))
    await mesh.network.settle()
    const [last, ...others] = mesh.backend.calls
    expect(last?.arrive(1024)).toBe('ok')
    // Within one turn nothing leaves the queue of 8 MiB.
    for (const call of others)
      call.result(`{"jsonrpc":"2.0","id":${call.id},"result":{"x":"${'x'.repeat(1024 * 1024)}"}}`)
    expect([last?.arrive(2048), last?.resumes]).toEqual(['wait', 0])
    await mesh.network.settle()
    await mesh.network.settle()
    expect([last?.arrive(4096), last?.resumes]).toEqual(['ok', 1])
    last?.result()
    await mesh.network.settle()
    expect(calls.map(({ sink }) => sink.ends.length)).toEqual(Array(12).fill(1))
  })

  it('of answers that arrive all at once only one is read beyond 64 MiB, and all the others after it', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    for (let id = 0; id < 9; id++) start(mesh.target, modernRequest({ id: String(id) }))
    await mesh.network.settle()
    const { calls } = mesh.backend
    const almostAll = calls.map((call) => call.arrive(10 * 1024 * 1024))
    expect(almostAll).toEqual([...Array(6).fill('ok'), 'wait', 'wait', 'wait'])
    expect(calls.map((call) => call.arrive(11 * 1024 * 1024))).toEqual(['ok', ...Array(8).fill('wait')])
    for (const call of calls.slice(0, 4)) call.result()
    expect(calls.slice(4).map((call) => call.resumes)).toEqual([0, 0, 0, 0, 0])
    await mesh.network.settle()
    expect(calls.slice(4).map((call) => call.resumes)).toEqual([1, 1, 1, 1, 1])
  })

  it('an answer that its peer has no room for during 30 s is lost, alone', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    const [first, second] = ['1', '2'].map((id) => start(mesh.target, modernRequest({ id })))
    await mesh.network.settle()
    const [one, two] = mesh.backend.calls
    one?.arrive(65 * 1024 * 1024)
    expect(two?.arrive(1)).toBe('wait')
    await mesh.network.pass(MAX_STALL_MS + 100)
    expect(await second?.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN })
    expect([one?.cancels, two?.cancels]).toEqual([[], ['disconnect']])
    one?.result()
    await mesh.network.settle()
    expect(await first?.sink.replyText()).toContain('"id":1')
  })

  it('notifications of clients that a peer does not take are dropped beyond 16 MiB, and counted', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    start(mesh.target, modernRequest())
    await mesh.network.settle()
    const params = `{"data":"${'x'.repeat(1024 * 1024)}"}`
    // Within one turn nothing leaves the queue.
    for (let n = 0; n < 20; n++) mesh.target.notify(clientNotification('notifications/x', { params }))
    expect(mesh.edge.metrics.value('causeway_notifications_dropped_total', { reason: 'queue_full' })).toBe(4)
    await mesh.network.settle()
    await mesh.network.settle()
    expect(mesh.backend.notifications).toHaveLength(16)
  })
})
