import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { ROOT } from '../tools/step.ts'
import { cleanUp } from './clean-up.ts'

/** `causeway up --mcp-json` as somebody runs it who has nothing but the file of an MCP client. Resolves when it is ready. */
export async function up(mcpServers: object, env: Readonly<Record<string, string>> = {}) {
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
  /** Process numbers of the servers that it has started. */
  const servers = (): number[] => logs.flatMap(({ msg, pid }) => (msg.endsWith('was started') && pid ? [pid] : []))
  const logged = (message: string): boolean => logs.some(({ msg }) => msg.startsWith(message))
  return { child, ended, folder, urlOf, servers, logged }
}
