import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { fixture, stopped } from '../integration/clean-up.ts'
import { published } from './program.ts'

async function inspect(url: string, ...args: string[]): Promise<unknown> {
  const all = ['--cli', '--server-url', url, '--transport', 'http', ...args]
  const { stdout } = await promisify(execFile)(published('mcp-inspector'), all, { timeout: 60_000 })
  return JSON.parse(stdout)
}

describe.each(['servers/everything.ts', 'servers/modern.ts'])('the MCP Inspector on the command line, %s', (script) => {
  it('says of the server behind the mesh what it says of the server itself', async () => {
    const { info } = await fixture(script)
    const { endpoint } = await stopped(startMeshHere({ backends: { server: info.url } }))
    const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hello']
    for (const args of [['--method', 'tools/list'], call]) {
      expect(await inspect(endpoint('server'), ...args)).toEqual(await inspect(info.url, ...args))
    }
  })
})
