import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LAUNCHER, olderNode } from '../../fixtures/connect/launcher.ts'
import { type ScriptedServer, scriptedServer } from '../../fixtures/http/scripted-server.ts'

/** `causeway-connect` as a process: how it ends, and what it leaves. */

let server: ScriptedServer
let child: ChildProcess | undefined
beforeEach(async () => {
  server = await scriptedServer()
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await server.close()
})

function start(...args: string[]) {
  return startWith(process.execPath, ...args)
}

function startWith(node: string, ...args: string[]) {
  const started = spawn(node, [LAUNCHER, ...args], { stdio: 'pipe' })
  child = started
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
  let error = ''
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text
  })
  return {
    child: started,
    ended: once(started, 'exit') as Promise<[number | null, string | null]>,
    next: async () => (await lines.next()).value,
    error: () => error,
  }
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}'

describe.each([process.execPath, olderNode() ?? process.execPath])('with %s', (node) => {
  it('is ready within 5 s', async () => {
    const began = performance.now()
    const { child, next } = startWith(node, server.url.href)
    child.stdin.write(CALL)
    ;(await server.next()).json(200, ANSWER)
    expect(await next()).toBe(ANSWER)
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it.each(['json', 'stream'] as const)('the end of its input lets open requests finish: %s', async (kind) => {
    const { child, ended, next, error } = startWith(node, server.url.href)
    child.stdin.end(CALL)
    const call = await server.next()
    if (kind === 'json') call.json(200, ANSWER)
    else call.stream().event(ANSWER).end()
    expect(await next()).toBe(ANSWER)
    expect(await ended).toEqual([0, null])
    expect(error()).toBe('')
  })
})

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it with 0 while a request is open, and closes the request',
  async (signal) => {
    const { child, ended, error } = start(server.url.href)
    child.stdin.write(CALL)
    const call = await server.next()
    child.kill(signal)
    expect(await ended).toEqual([0, null])
    await call.gone
    expect(error()).toBe('')
  },
)

it('a host that vanished ends it', async () => {
  const { child, ended } = start(server.url.href)
  child.stdin.write(CALL)
  const call = await server.next()
  child.stdout.destroy()
  call.stream().event(ANSWER)
  expect(await ended).toEqual([0, null])
})

it('large messages cross whole, both ways', async () => {
  const { child, next } = start(server.url.href)
  const text = 'ä€😀"\\'.repeat(500_000)
  child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"m","params":${JSON.stringify({ text })}}\n`)
  const call = await server.next()
  expect(JSON.parse(call.text).params.text === text).toBe(true)
  const answer = `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify({ text })}}`
  const stream = call.stream()
  for (let at = 0; at < answer.length; at += 1_000_003) {
    stream.raw(at === 0 ? `data: ${answer.slice(0, 1_000_003)}` : answer.slice(at, at + 1_000_003))
  }
  stream.raw('\n\n').end()
  expect((await next()) === answer).toBe(true)
})

it.each([
  [[], 'the URL is missing'],
  [['http://a.example/', 'http://b.example/'], 'more than one URL'],
  [['--nope', 'http://a.example/'], "Unknown option '--nope'"],
  [['ftp://a.example/'], 'is not an http or https URL'],
])('%j is wrong: it says so on standard error and ends with 2', async (args, why) => {
  const { ended, error } = start(...args)
  expect(await ended).toEqual([2, null])
  expect(error()).toContain(why)
})

it('--help and --version print and end with 0', async () => {
  for (const [option, expected] of [
    ['--help', 'Usage: causeway-connect'],
    ['--version', '0.1.0'],
  ] as const) {
    const { ended, next } = start(option)
    expect(await next()).toContain(expected)
    expect(await ended).toEqual([0, null])
  }
})
