import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually, isAlive, scripted } from '../fixtures/stdio/stdio-backend-harness.ts'
import { openSession } from './legacy-session.ts'
import { up } from './up.ts'

/** `causeway up` with one server that is a process, and a session that keeps it running. */
async function running(...serverArgs: string[]) {
  const made = await up({
    scripted: { command: process.execPath, args: [scripted, '--legacy', ...serverArgs], cwd: '.' },
  })
  const session = await openSession(made.urlOf('scripted'))
  const pid = await session.ask('pid')
  expect(isAlive(pid)).toBe(true)
  return { ...made, session, pid }
}

describe('a signal to stop', () => {
  it('gives a server the time to end by itself', async () => {
    const { child, ended, folder, pid } = await running('--stop', 'why')
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
    expect(await readFile(join(folder, 'why'), 'latin1')).toBe('end of input')
  })

  it('leaves no server behind that ignores the end of its input and SIGTERM', async () => {
    const { child, ended, pid } = await running('--stubborn')
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
  })

  it('that comes again kills every server and what it started, before the process ends', async () => {
    const { child, ended, session, pid, logged } = await running('--stubborn')
    const grandchild = await session.ask('fork', { stubborn: true })
    child.kill('SIGINT')
    await eventually(() => logged('stopping')).toBe(true)
    expect(isAlive(pid)).toBe(true)
    child.kill('SIGINT')
    expect(await ended).toEqual([130, null])
    for (const process of [pid, grandchild]) await eventually(() => isAlive(process)).toBe(false)
  })
})
