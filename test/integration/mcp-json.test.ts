import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { published } from '../real-peers/program.ts'
import { ROOT } from '../tools/step.ts'
import { cleanUp, closed, fixture } from './clean-up.ts'
import { type AnyClient, callText, legacyClient, modernClient } from './clients.ts'

/** `causeway up --mcp-json` as somebody runs it who has nothing but the file of an MCP client. */
async function up(mcpServers: object, env: Readonly<Record<string, string>> = {}) {
  const folder = cleanUp(await mkdtemp(join(tmpdir(), 'causeway-mcp-json-')), (path) => rm(path, { recursive: true }))
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
  const args = [join(ROOT, 'services/cli/launch.mjs'), 'up', '--mcp-json', 'mcp.json', '--port', '0']
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } })
  cleanUp(child, () => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const logs: { msg: string; pid?: number }[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('{')) logs.push(JSON.parse(line))
  })
  const urls = new Map<string, string>()
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, url] = /^(\S+) +(http:\S+) +(?:stdio|http|sse)$/.exec(line) ?? []
    if (name !== undefined && url !== undefined) urls.set(name, url)
    if (line.startsWith('ready')) break
  }
  const urlOf = (name: string): string => urls.get(name) ?? expect.fail(`${name} was not printed`)
  const servers = (): number[] => logs.flatMap(({ msg, pid }) => (msg.endsWith('was started') && pid ? [pid] : []))
  return { child, ended, urlOf, servers }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('both generations of the published client call the servers of an mcpServers file where it says', async () => {
  const remote = await fixture('servers/everything.ts')
  const { child, ended, urlOf, servers } = await up(
    {
      everything: {
        command: published('mcp-server-everything'),
        args: ['stdio'],
        env: { GREETING: `\${TEST_GREETING}` },
      },
      remote: { type: 'http', url: remote.info.url },
    },
    { TEST_GREETING: 'hello from the environment' },
  )
  const generations: ((url: string) => Promise<AnyClient>)[] = [legacyClient, modernClient]
  for (const connect of generations) {
    const client = await closed(connect(urlOf('everything')))
    expect(await callText(client, 'echo', { message: 'through a process' })).toBe('Echo: through a process')
    const environment = await callText(client, 'get-env')
    expect(environment).toContain('"GREETING": "hello from the environment"')
    expect(environment, 'what no entry names').not.toContain('TEST_GREETING')
    const far = await closed(connect(urlOf('remote')))
    expect(await callText(far, 'echo', { message: 'through a URL' })).toBe('Echo: through a URL')
  }

  const started = servers()
  expect(started.length).toBeGreaterThanOrEqual(2)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(started.filter(isThere), 'processes left behind').toEqual([])
})
