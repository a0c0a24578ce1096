import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  alive,
  eventually,
  isAlive,
  modern,
  resultOf,
  type StdioHarness,
  starts,
  useStdioHarnesses,
} from '../../../../test/fixtures/stdio/stdio-backend-harness.ts'

const world = useStdioHarnesses()

const labels = { backend: 'default/under-test' }
const pidOf = async ({ scope }: StdioHarness) => (await resultOf(modern(scope, 'p', 'pid'))) as number
const say = (...pieces: string[]) => ({ pieces })
const done = '{"jsonrpc":"2.0","id":ID,"result":{}}\n'

describe('requests of the modern era', () => {
  it('take a warm process, one after the other', async () => {
    const made = world()
    const pids = [await pidOf(made), await pidOf(made), await pidOf(made)]
    expect(new Set(pids).size).toBe(1)
    expect(starts(made)).toBe(1)
  })

  it(`${requirement('RPC-022')} never share a process while they are open, whatever their ids`, async () => {
    const made = world()
    const texts = ['1', '1', '1.0', '"1"'].map((text) => JSON.parse(text) as string | number)
    const pids = await Promise.all(texts.map((id) => resultOf(modern(made.scope, id, 'pid'))))
    expect(new Set(pids).size).toBe(4)
  })

  it('wait for a process beyond limits.maxProcesses, in order, and are refused beyond limits.maxQueued', async () => {
    const made = world([], { maxProcesses: 1, maxQueued: 2 })
    const order: string[] = []
    const calls = ['a', 'b', 'c'].map((id) => {
      const { sink } = modern(made.scope, 1, 'later', { ms: 20 })
      return sink.end.then(() => order.push(id))
    })
    const refused = modern(made.scope, 1, 'later', { ms: 20 })
    expect(await refused.sink.failure()).toMatchObject({ code: 'QuotaExceeded', outcome: 0 })
    await Promise.all(calls)
    expect(order).toEqual(['a', 'b', 'c'])
    expect(starts(made)).toBe(1)
  })

  it('are cancelled while they wait without a word to anybody', async () => {
    const made = world([], { maxProcesses: 1 })
    const first = modern(made.scope, 1, 'later', { ms: 50 })
    const waiting = modern(made.scope, 2, 'ping')
    waiting.handle.cancel('disconnect')
    expect(await waiting.sink.failure()).toMatchObject({ outcome: 2 })
    expect(await resultOf(first)).toBe('late')
    const lines = (await resultOf(modern(made.scope, 3, 'received'))) as string[]
    expect(lines).toHaveLength(2)
    expect(made.backend.openExchanges).toBe(0)
  })

  it('hear their notifications', async () => {
    const made = world()
    const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
    const { sink } = modern(made.scope, 1, 'say', say(`${note}\r\n\n`, ` ${note}\n${done}`))
    await sink.replyText()
    expect(sink.notifications).toEqual([note, note])
  })

  it('cannot be asked anything: the server hears an error', async () => {
    const made = world()
    await modern(made.scope, 1, 'say', say('{"jsonrpc":"2.0","id":7,"method":"ping"}\n', done)).sink.replyText()
    const lines = (await resultOf(modern(made.scope, 2, 'received'))) as string[]
    expect(lines.some((line) => line.startsWith('{"jsonrpc":"2.0","id":7,"error":{"code":-33115'))).toBe(true)
  })

  it('end when their process dies, and the next one gets another', async () => {
    const made = world()
    const pid = await pidOf(made)
    const open = modern(made.scope, 1, 'never')
    process.kill(pid, 'SIGKILL')
    expect(await open.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(await pidOf(made)).not.toBe(pid)
    process.kill(await pidOf(made), 'SIGKILL')
    await eventually(() => alive(made)).toBe(0)
    expect(await pidOf(made)).toBeGreaterThan(0)
    expect(made.metrics.value('causeway_backend_process_deaths_total', { ...labels, how: 'signal' })).toBe(2)
  })

  it('leave their process to idle no longer than limits.idleTimeout', async () => {
    const made = world([], { idleTimeoutMs: 100 })
    const pid = await pidOf(made)
    await eventually(() => isAlive(pid)).toBe(false)
    await eventually(() => alive(made)).toBe(0)
  })
})

describe('a cancelled request of the modern era', () => {
  it('is told to the server, and its process serves others once the late answer came', async () => {
    const made = world([], { maxProcesses: 2 })
    const pid = await pidOf(made)
    const { sink, handle } = modern(made.scope, 1, 'later', { ms: 150, tell: true })
    await sink.notified(1)
    handle.cancel('disconnect')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    expect(await pidOf(made)).not.toBe(pid)
    await eventually(() => made.metrics.value('causeway_late_replies_total', { side: 'backend' })).toBe(1)
    const both = await Promise.all([pidOf(made), resultOf(modern(made.scope, 2, 'received'))])
    expect(both.flat()).toContainEqual(
      both[0] === pid ? pid : '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    )
    expect(starts(made)).toBe(2)
  })

  it('gives up its process where another request waits for one', async () => {
    const made = world([], { maxProcesses: 1 })
    const pid = await pidOf(made)
    const { sink, handle } = modern(made.scope, 1, 'never', { tell: true })
    await sink.notified(1)
    handle.cancel('disconnect')
    await sink.failure()
    expect(await pidOf(made)).not.toBe(pid)
    await eventually(() => isAlive(pid)).toBe(false)
  })

  it('never gives its late answer to another with the same id', async () => {
    const made = world([], { maxProcesses: 1 })
    await pidOf(made)
    const { sink, handle } = modern(made.scope, 1, 'later', { ms: 30, tell: true })
    await sink.notified(1)
    handle.cancel('disconnect')
    await sink.failure()
    expect(await resultOf(modern(made.scope, 1, 'ping'))).toBe('ping')
  })

  it('ends at once where the server reads nothing', async () => {
    const made = world(['--deaf'])
    const small = modern(made.scope, 1, 'ping')
    small.handle.cancel('disconnect')
    expect(await small.sink.failure()).toMatchObject({ outcome: 2 })
  })
})

describe('a subscription', () => {
  it('has a process of its own, which ends with it', async () => {
    const made = world([], { maxProcesses: 1, maxSessionProcesses: 1 })
    const listen = modern(made.scope, 1, 'subscriptions/listen')
    expect(await pidOf(made)).toBeGreaterThan(0)
    expect(alive(made)).toBe(2)
    expect(await modern(made.scope, 2, 'subscriptions/listen').sink.failure()).toMatchObject({ code: 'QuotaExceeded' })
    listen.handle.cancel('disconnect')
    expect(await listen.sink.failure()).toMatchObject({ outcome: 2 })
    await eventually(() => alive(made)).toBe(1)
    modern(made.scope, 3, 'subscriptions/listen')
    expect(alive(made)).toBe(2)
  })

  it('ends with its scope', async () => {
    const made = world()
    const listen = modern(made.scope, 1, 'subscriptions/listen')
    made.scope.end('client')
    expect(await listen.sink.failure()).toMatchObject({ outcome: 1 })
    await eventually(() => alive(made)).toBe(0)
  })
})

describe('the era of a server', () => {
  const causeway = (text: string) =>
    (JSON.parse(text) as { error: { code: number; data: { causeway: Record<string, unknown> } } }).error

  it('is told by server/discover: what fails there is answered as a legacy HTTP server answers, both eras named', async () => {
    const made = world(['--legacy'])
    const { sink } = modern(made.scope, 'd', 'server/discover')
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    const error = causeway(await sink.replyText())
    expect(error.code).toBe(-32000)
    expect(error.data.causeway).toMatchObject({ code: 'EraUnsupported', eras: { client: 'modern', server: 'legacy' } })
    const other = modern(made.scope, 1, 'tools/list')
    expect(causeway(await other.sink.replyText()).data.causeway).toMatchObject({ delivery: 'not_sent' })
    expect(starts(made)).toBe(1)
  })

  it('is modern where discover is answered, whose answer crosses as it is', async () => {
    const made = world()
    expect(await modern(made.scope, 'd', 'server/discover').sink.end).toMatchObject({
      kind: 'result',
      status: undefined,
    })
  })

  it.each([
    ['that ends when anything comes before initialize', ['--strict-legacy'], {}],
    ['that says nothing', ['--mute'], { startTimeoutMs: 200 }],
  ])('is legacy of one %s, and that is no failed start', async (_what, args, limits) => {
    const made = world(args, limits)
    const { sink } = modern(made.scope, 'd', 'server/discover')
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    const again = modern(made.scope, 'd', 'server/discover')
    expect(await again.sink.end).toMatchObject({ kind: 'error', status: 400 })
  })
})

describe('a server that misbehaves', () => {
  const dropped = ({ metrics }: StdioHarness, reason: string) =>
    metrics.value('causeway_backend_messages_dropped_total', { ...labels, reason })

  it('has its rubbish skipped, counted, and told to the log without its words', async () => {
    const made = world()
    const rubbish = ['Listening, key=s3cret', '{"a":1}', '[]', '{"jsonrpc":"2.0","id":1,"result":1', '\ufeff{}', 'null']
    const { sink } = modern(made.scope, 1, 'say', say(`${rubbish.join('\n')}\n`, done))
    expect(await sink.replyText()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
    expect(dropped(made, 'not_json_rpc')).toBe(rubbish.length)
    expect(made.log.filter(({ msg }) => msg.includes('is no MCP'))).toHaveLength(rubbish.length)
    expect(JSON.stringify(made.log)).not.toContain('s3cret')
  })

  it('may write half lines', async () => {
    const made = world()
    const { sink } = modern(
      made.scope,
      1,
      'say',
      say('{"jsonrpc":"2.0","i', 'd":ID,"resu', 'lt":"é', 'à"}', '\r', '\n'),
    )
    expect(await sink.replyText()).toBe('{"jsonrpc":"2.0","id":1,"result":"éà"}')
  })

  it('may answer with 10 MB', async () => {
    const made = world()
    const { sink } = modern(made.scope, 1, 'big', { octets: 10 * 1024 * 1024 })
    expect((await sink.replyText()).length).toBeGreaterThan(10 * 1024 * 1024)
  })

  it('has an answer beyond the limit skipped, and its call is failed', async () => {
    const made = world([], { maxReplyOctets: 100_000 })
    const failure = await modern(made.scope, 1, 'big', { octets: 100_001 }).sink.failure()
    expect(failure).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(dropped(made, 'too_large')).toBe(1)
    const line = 'a line of standard output is longer than 100000 octets (limits.maxReplyBytes of the relay); skipped'
    // The call's own line at this level is that of whoever called.
    expect(made.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([line])
    expect(await resultOf(modern(made.scope, 2, 'ping'))).toBe('ping')
  })

  it('that answers twice gives no answer to the next call', async () => {
    const made = world([], { maxProcesses: 1 })
    const first = modern(made.scope, 1, 'twice')
    const second = modern(made.scope, 1, 'ping')
    expect(await resultOf(first)).toBe(1)
    expect(await resultOf(second)).toBe('ping')
    expect(dropped(made, 'unmatched_reply')).toBe(1)
  })

  it('that answers what nobody asked is ended when it is idle', async () => {
    const made = world()
    const pid = await pidOf(made)
    await modern(made.scope, 1, 'say', say(done, '{"jsonrpc":"2.0","id":"other","result":0}\n')).sink.replyText()
    await eventually(() => isAlive(pid)).toBe(false)
  })

  it('that never reads is sent as much as it may have waiting, and no more', async () => {
    const made = world(['--deaf'], { maxProcesses: 1, maxQueued: 0 })
    const { sink, handle } = modern(made.scope, 1, 'ping', { filler: 'x'.repeat(1_000_000) })
    await sink.notified(1)
    handle.cancel('disconnect')
    const closed = made.backend.close()
    expect(await sink.failure()).toMatchObject({ outcome: 1 })
    await closed
    expect(alive(made)).toBe(0)
  })
})
