import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = async (example: string): Promise<string> => {
  const script = fileURLToPath(new URL(`../../examples/${example}/run.ts`, import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 })
  expect(stderr).toBe('')
  return stdout
}

describe('the examples run as they stand', () => {
  it('agents without a relay', async () => {
    const told = await run('embedded-client')
    expect(told).toMatch(/^tools: .*\becho\b/m)
    expect(told).toContain('Echo: hello from the agent')
    expect(told).toContain('Echo: hello from the first generation')
  }, 90_000)

  it('a server without a relay', async () => {
    expect(await run('embedded-server')).toContain('Hello, mesh')
  }, 90_000)
})
