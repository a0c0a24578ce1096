import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import type { Findings } from './story.ts'

const MAIN = new URL('main.ts', import.meta.url).pathname

let demo: ChildProcess | undefined
afterEach(() => {
  demo?.kill('SIGTERM')
})

/** The findings of a demo that goes on running. */
async function findings(process: ChildProcess): Promise<Findings & { urls: { legacy: string; modern: string } }> {
  let printed = ''
  for await (const piece of process.stdout ?? []) {
    printed += String(piece)
    if (printed.endsWith('\n}\n')) return JSON.parse(printed)
  }
  throw new Error(`the demo ended: ${printed}`)
}

describe('npm run demo', () => {
  it('says how to call it: the options of npm stand before its own', async () => {
    demo = spawn(process.execPath, [MAIN, '--json', '--silent'], { stdio: ['ignore', 'ignore', 'pipe'] })
    let error = ''
    for await (const piece of demo.stderr ?? []) error += String(piece)
    expect(error).toContain('usage: npm run [--silent] demo [-- [--json] [--keep]]\n')
  })

  it('lets both client generations use both servers, keeps running when asked to, and stops clean', {
    timeout: 120_000,
  }, async () => {
    demo = spawn(process.execPath, [MAIN, '--json', '--keep'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(demo, 'exit')
    const { ok, identities, link, conversations, texts, urls, processes } = await findings(demo)

    expect(ok).toBe(true)
    expect(texts.equal).toBe(texts.compared)
    expect(link).toMatchObject({
      edgeAuthenticated: identities.tools,
      toolsAuthenticated: identities.edge,
      profile: 'Standard',
      kem: 'X25519MLKEM768',
      tls: 'TLSv1.3',
      tlsGroup: 'X25519MLKEM768',
    })
    expect(
      conversations.map(({ client, server, revision }) => [client.generation, server.generation, revision]),
    ).toEqual([
      ['legacy', 'legacy', '2025-11-25'],
      ['legacy', 'modern', '2025-11-25'],
      ['modern', 'legacy', '2025-11-25'],
      ['modern', 'modern', '2026-07-28'],
    ])
    const allModern = conversations[3]?.steps.flatMap((step) => step.texts.map(({ method }) => method))
    expect(allModern).not.toContain('initialize')
    // Still there: a GET is refused by the edge, which is what answers.
    expect((await fetch(urls.modern)).status).toBe(400)

    demo.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    for (const pid of Object.values(processes)) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
