import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  alive,
  eventually,
  initialize,
  inSession,
  isAlive,
  modern,
  resultOf,
  type StdioHarness,
  scripted,
  sessionOf,
  starts,
  useStdioHarnesses,
} from '../../../../test/fixtures/stdio/stdio-backend-harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'stdio-'))
afterAll(() => rmSync(folder, { recursive: true }))

const world = useStdioHarnesses()

const S = sessionOf('s')

describe('the end of a process', () => {
  /** A world with a session; `why` says how the process learnt that it had to end. */
  async function opened(...args: string[]) {
    const file = join(folder, 'stop')
    rmSync(file, { force: true })
    const made = world([...args, '--stop', file])
    await initialize(made.scope, S).sink.replyText()
    const pid = (await resultOf(inSession(made.scope, S, 1, 'pid'))) as number
    return { ...made, pid, why: () => readFileSync(file, 'latin1') }
  }

  it('is asked for by the end of its standard input', async () => {
    const made = await opened()
    made.scope.endSession(S, 'client')
    await eventually(() => alive(made)).toBe(0)
    expect(made.why()).toBe('end of input')
    expect(isAlive(made.pid)).toBe(false)
  })

  it('is demanded by SIGTERM where it stays', async () => {
    const made = await opened('--stay')
    made.scope.endSession(S, 'client')
    await eventually(() => alive(made)).toBe(0)
    expect(made.why()).toBe('SIGTERM')
    expect(made.log.find(({ end }) => end !== undefined)).toMatchObject({ end: 'exited with code 0' })
  })

  it('is made by SIGKILL where it stays even then', async () => {
    const made = await opened('--stubborn')
    made.scope.endSession(S, 'client')
    await eventually(() => alive(made)).toBe(0)
    expect(isAlive(made.pid)).toBe(false)
    expect(made.log.find(({ end }) => end !== undefined)).toMatchObject({ end: 'was ended by SIGKILL' })
  })

  it.each([
    ['ends in good order', false, 'end'],
    ['is killed', false, 'kill'],
    ['ends in good order', true, 'end'],
    ['is killed', true, 'kill'],
  ])('takes along what the process started, when it %s (which ignores SIGTERM: %s)', async (_how, stubborn, what) => {
    const made = await opened()
    const child = (await resultOf(inSession(made.scope, S, 2, 'fork', { stubborn }))) as number
    expect(isAlive(child)).toBe(true)
    const open = inSession(made.scope, S, 3, 'never')
    if (what === 'kill') process.kill(made.pid, 'SIGKILL')
    else made.scope.endSession(S, 'client')
    await open.sink.failure()
    await eventually(() => alive(made)).toBe(0)
    // Its new parent may take a moment to wait for it; running it is not.
    await eventually(() => isAlive(child)).toBe(false)
    expect(isAlive(made.pid)).toBe(false)
  })

  it('comes for all of them when the backend closes, whatever they do', async () => {
    const made = world(['--stubborn'])
    await initialize(made.scope, S).sink.replyText()
    const open = [
      inSession(made.scope, S, 1, 'never'),
      modern(made.scope, 1, 'never'),
      modern(made.scope, 1, 'subscriptions/listen'),
    ]
    const pid = (await resultOf(inSession(made.scope, S, 2, 'pid'))) as number
    await made.backend.close()
    for (const { sink } of open) expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(isAlive(pid)).toBe(false)
    expect(alive(made)).toBe(0)
    expect([made.backend.openExchanges, made.backend.openSessions]).toEqual([0, 0])
    const late = modern(made.scope, 1, 'ping')
    expect(await late.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
  })

  it('lets what had to wait for a process go unsent', async () => {
    const made = world([], { maxProcesses: 1 })
    modern(made.scope, 1, 'never')
    const waiting = modern(made.scope, 2, 'ping')
    const closed = made.backend.close()
    expect(await waiting.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
    await closed
  })
})

describe('a process that cannot be started', () => {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o600)

  it.each([
    [
      'no-such-command-anywhere',
      undefined,
      'the command "no-such-command-anywhere" was not found',
      'spec.mcp.stdio.command',
    ],
    [program, undefined, `the command ${JSON.stringify(program)} may not be executed`, 'spec.mcp.stdio.command'],
    [
      process.execPath,
      join(folder, 'nowhere'),
      `the server's folder ${JSON.stringify(join(folder, 'nowhere'))} does not exist (spec.mcp.stdio.cwd)`,
      'spec.mcp.stdio.cwd',
    ],
    ['a\0b', undefined, 'could not be started', 'spec.mcp.stdio.command'],
  ])('is told with the field that names it: %s', async (command, cwd, message, field) => {
    for (const era of ['legacy', 'modern']) {
      const made = world([], {}, { command, cwd })
      const { sink } = era === 'legacy' ? initialize(made.scope, S) : modern(made.scope, 1, 'ping')
      const failure = await sink.failure()
      expect(failure).toMatchObject({ code: 'NotDelivered', outcome: 0 })
      expect(failure.message).toContain(message)
      expect(failure.hint).toContain(field)
      expect([alive(made), made.backend.openExchanges, made.backend.openSessions]).toEqual([0, 0, 0])
      expect(made.lost).toEqual([])
    }
  })

  it.each([
    ['legacy', (scope: StdioHarness['scope']) => initialize(scope, S)],
    ['modern', (scope: StdioHarness['scope']) => modern(scope, 1, 'ping')],
  ])('is not started again at once, and what comes meanwhile fails quickly and unsent: %s', async (_era, call) => {
    const made = world(['--die'], {}, { random: () => 1 })
    const failure = () => call(made.scope).sink.failure()
    const first = await failure()
    expect(first).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(first.message).toContain('exited with code 3')
    const second = await failure()
    expect(second).toMatchObject({ code: 'NotDelivered', outcome: 0, retryAfter: '1' })
    expect(second.message).toContain('exited with code 3 before it said anything')
    expect(starts(made)).toBe(1)
    await eventually(async () => (await failure()).outcome).toBe(1)
    expect(starts(made)).toBe(2)
  })

  it('because it is spoken to in the other era is no hindrance for those who speak its own', async () => {
    const made = world(['--strict-legacy'])
    expect(await modern(made.scope, 1, 'tools/list').sink.failure()).toMatchObject({ code: 'NotDelivered' })
    expect(await initialize(made.scope, S).sink.replyText()).toContain('2025-11-25')
  })

  it('by its time is given up', async () => {
    const made = world(['--mute'], { startTimeoutMs: 100 })
    const failure = await modern(made.scope, 1, 'ping').sink.failure()
    expect(failure).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(failure.message).toContain('limits.startTimeout')
    await eventually(() => alive(made)).toBe(0)
  })
})

describe('what a process is given', () => {
  it('is an environment that holds nothing else of the relay', async () => {
    const relayEnv = { PATH: process.env.PATH, HOME: '/h', LC_ALL: 'C', SECRET_KEY: 's', TOKEN: 't', AWS_PROFILE: 'a' }
    const made = world(
      [],
      {},
      {
        relayEnv,
        inheritEnv: ['TOKEN', 'ABSENT'],
        env: new Map([
          ['HOME', '/other'],
          ['A', '1'],
        ]),
      },
    )
    const environment = await resultOf(modern(made.scope, 1, 'environment'))
    expect(environment).toEqual({ PATH: process.env.PATH, HOME: '/other', LC_ALL: 'C', TOKEN: 't', A: '1' })
  })

  it('is a folder', async () => {
    const made = world([], {}, { cwd: folder })
    expect(await resultOf(modern(made.scope, 1, 'folder'))).toBe(folder)
  })
})

describe('the standard error of a process', () => {
  it('is in the log, line by line, each of a bounded length', async () => {
    const made = world()
    const lines = ['first', `long ${'x'.repeat(10_000)}`, 'größe']
    await resultOf(modern(made.scope, 1, 'complain', { lines }))
    await eventually(() => made.log.filter(({ stderr }) => stderr !== undefined)).toHaveLength(3)
    const told = made.log.filter(({ stderr }) => stderr !== undefined)
    expect(told[0]).toMatchObject({ level: 'info', backend: 'backend/default/under-test', stderr: 'first' })
    expect(String(told[1]?.stderr).length).toBeLessThan(1_000)
    expect(told[2]?.stderr).toBe('größe')
  })

  it('is read also where there is too much of it for the log', async () => {
    const made = world()
    const lines = Array.from({ length: 500 }, (_, n) => `line ${n} ${'x'.repeat(1_000)}`)
    expect(await resultOf(modern(made.scope, 1, 'complain', { lines }))).toBe('complained')
    await eventually(() => made.log.find(({ msg }) => msg.includes('left out'))).toMatchObject({
      lines: expect.any(Number) as number,
    })
    expect(made.log.filter(({ stderr }) => stderr !== undefined).length).toBeLessThan(300)
  })
})

describe('kill -9 of a process', () => {
  it.each(['before its answer', 'midway through it', 'after it'])('%s', async (when) => {
    const made = world()
    await initialize(made.scope, S).sink.replyText()
    const pid = (await resultOf(inSession(made.scope, S, 1, 'pid'))) as number
    const pieces = {
      'before its answer': ['{"jsonrpc":"2.0","method":"notifications/x"}\n'],
      'midway through it': ['{"jsonrpc":"2.0","method":"notifications/x"}\n{"jsonrpc":"2.0","id":ID,"resu'],
      'after it': ['{"jsonrpc":"2.0","method":"notifications/x"}\n{"jsonrpc":"2.0","id":ID,"result":1}\n'],
    }[when]
    const call = inSession(made.scope, S, 2, 'say', { pieces })
    await call.sink.notified(1)
    process.kill(pid, 'SIGKILL')
    expect(await call.sink.end).toMatchObject(when === 'after it' ? { kind: 'result' } : { outcome: 1 })
    await eventually(() => made.lost).toEqual(['s backend'])
    await initialize(made.scope, S).sink.replyText()
    expect(await resultOf(inSession(made.scope, S, 3, 'ping'))).toBe('ping')
  })
})

it('nothing is started through a shell', async () => {
  const made = world([], {}, { args: [scripted, '$(touch x)', '; exit 1'] })
  expect(await resultOf(modern(made.scope, 1, 'ping'))).toBe('ping')
})
