import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Problem, Resources } from '@causeway/mesh-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readServers } from './read-servers.ts'
import { toResources } from './resources.ts'
import type { McpServers } from './servers.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Read extends McpServers {
  readonly resources: Resources
  readonly warnings: readonly Problem[]
}

async function read(json: object, environment: Record<string, string> = {}): Promise<Read> {
  const warnings: Problem[] = []
  const file = { name: 'mcp.json', folder, octets: Buffer.from(JSON.stringify(json)) }
  const found = await readServers(file, { PATH: process.env.PATH, ...environment }, (one) => void warnings.push(one))
  return { ...found, resources: toResources(found.servers, 7007, folder, found.findings), warnings }
}

const specOf = ({ resources }: Read, name: string) =>
  resources.backends.find(({ metadata }) => metadata.name === name)?.spec.mcp

describe('an mcpServers file', () => {
  it('becomes a relay on loopback without a key, with a backend and a route for each server', async () => {
    const { resources, servers, disabled, warnings } = await read({
      mcpServers: {
        everything: { command: 'node' },
        linear: { url: 'https://mcp.example.com/mcp' },
        off: { disabled: true },
      },
    })
    expect(resources.relays[0]?.spec).toMatchObject({
      identity: {},
      listeners: { mcp: { host: '127.0.0.1', port: 7007 } },
    })
    expect(resources.relays[0]?.spec.identity.keyFile).toBeUndefined()
    expect(resources.routes.map(({ spec }) => [spec.path, spec.transparent?.target.backendRef?.name])).toEqual([
      ['/everything/mcp', 'everything'],
      ['/linear/mcp', 'linear'],
    ])
    expect(servers.map(({ name, kind }) => [name, kind])).toEqual([
      ['everything', 'stdio'],
      ['linear', 'http'],
    ])
    expect({ disabled, warnings }).toEqual({ disabled: ['off'], warnings: [] })
  })

  it('takes programs with arguments, environment and folder', async () => {
    const server = {
      command: './run',
      args: ['--x', `\${HOME}`],
      env: { TOKEN: `\${env:KEY}`, PLAIN: 'p' },
      cwd: 'sub',
    }
    writeFileSync(join(folder, 'run'), '', { mode: 0o755 })
    mkdirSync(join(folder, 'sub'))
    const found = await read({ servers: { tool: { type: 'stdio', ...server } } }, { HOME: '/home/ada', KEY: 'k' })
    expect(specOf(found, 'tool')?.stdio).toEqual({
      command: join(folder, 'run'),
      args: ['--x', '/home/ada'],
      env: [
        { name: 'TOKEN', value: 'k' },
        { name: 'PLAIN', value: 'p' },
      ],
      inheritEnv: [],
      cwd: join(folder, 'sub'),
    })
    expect(found.warnings).toEqual([])
  })

  it('warns of a program and a folder that are not there', async () => {
    const { warnings } = await read({ mcpServers: { tool: { command: './run', cwd: 'sub' } } })
    expect(warnings.map(({ fieldPath, message }) => `${fieldPath}: ${message}`)).toEqual([
      `mcpServers.tool.cwd: the folder "${join(folder, 'sub')}" is not there`,
      'mcpServers.tool.command: the program "./run" is not there, or not executable',
    ])
  })

  it('starts a program without cwd in the folder of the file, as its arguments start from there', async () => {
    const found = await read({ mcpServers: { tool: { command: 'node', args: ['server.js'] } } })
    expect(specOf(found, 'tool')?.stdio).toMatchObject({ args: ['server.js'], cwd: folder })
  })

  it("reads the variables of an envFile, which the entry's own outrank", async () => {
    writeFileSync(join(folder, '.env'), '# a comment\nA=from file\nB="b b"\n')
    const found = await read({ mcpServers: { tool: { command: 'node', envFile: '.env', env: { A: 'own' } } } })
    expect(specOf(found, 'tool')?.stdio?.env).toEqual([
      { name: 'A', value: 'own' },
      { name: 'B', value: 'b b' },
    ])
  })

  it.each([
    ['http', 'StreamableHTTP'],
    ['streamable-http', 'StreamableHTTP'],
    ['streamableHttp', 'StreamableHTTP'],
    ['sse', 'HTTPSSE'],
  ])('type %s is %s', async (type, transport) => {
    for (const field of ['type', 'transport']) {
      const headers = { Authorization: `Bearer \${KEY}` }
      const found = await read({ mcpServers: { s: { [field]: type, url: 'https://h/x', headers } } }, { KEY: 'k' })
      expect(specOf(found, 's')).toEqual({
        url: 'https://h/x',
        transport,
        headers: [{ name: 'authorization', value: 'Bearer k' }],
      })
    }
  })

  it('takes the words of other hosts for a URL, and null for nothing', async () => {
    const found = await read({
      mcpServers: { a: { serverUrl: 'https://h/a' }, b: { httpUrl: 'https://h/b', headers: null, command: null } },
    })
    expect(['a', 'b'].map((name) => specOf(found, name)?.url)).toEqual(['https://h/a', 'https://h/b'])
  })

  it('makes every name a part of a path and a name of an object', async () => {
    const url = 'https://h/x'
    const names = ['My GitHub Server!', 'my-github-server', '@scope/pkg', 'x_y', 'x.y', `${'a'.repeat(80)}`]
    const { resources, servers } = await read({ mcpServers: Object.fromEntries(names.map((name) => [name, { url }])) })
    expect(servers.map(({ segment }) => segment)).toEqual([
      'My-GitHub-Server',
      'my-github-server',
      'scope-pkg',
      'x_y',
      'x.y',
      'a'.repeat(80),
    ])
    expect(resources.backends.map(({ metadata }) => metadata.name)).toEqual([
      'a'.repeat(56),
      'my-github-server',
      'my-github-server-2',
      'scope-pkg',
      'x-y',
      'x-y-2',
    ])
  })

  it('is UTF-8', async () => {
    const file = { name: 'mcp.json', octets: new Uint8Array([0x7b, 0xff, 0x7d]) }
    await expect(readServers(file, {}, () => {})).rejects.toMatchObject({
      problems: [{ file: 'mcp.json', line: 0, column: 0, fieldPath: '', message: 'is not valid UTF-8' }],
    })
  })
})
