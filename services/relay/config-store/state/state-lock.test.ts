import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockState, StateLockedError } from './state-lock.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-lock-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('the lock of a folder', () => {
  it('is held by one, also by another name of the folder, until it is released', async () => {
    const lock = await lockState(join(root, 'state'))
    await symlink('state', join(root, 'alias'))
    for (const name of ['state', 'alias']) await expect(lockState(join(root, name))).rejects.toThrow(StateLockedError)
    const other = await lockState(join(root, 'other'))
    await lock.release()
    await (await lockState(join(root, 'state'))).release()
    await other.release()
  })

  it('is free when its process was killed', async () => {
    const module = join(import.meta.dirname, 'state-lock.ts')
    const script = `const { lockState } = await import(${JSON.stringify(module)}); await lockState(${JSON.stringify(root)}); console.log('held'); setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(holder, 'exit')
    try {
      await once(holder.stdout, 'data')
      await expect(lockState(root)).rejects.toThrow(`another process uses ${root}`)
    } finally {
      holder.kill('SIGKILL')
      await ended
    }
    await (await lockState(root)).release()
  })
})
