import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Refused, type Started, useCliWorlds } from '../../../test/fixtures/cli/cli-worlds.ts'
import { runProgram } from '../program.ts'

const worlds = useCliWorlds()

describe('causeway up --mcp-json', () => {
  const servers = (value: object) => worlds.file(JSON.stringify({ mcpServers: value }), 'mcp.json')

  it('serves every server, says at which URL, and ends as any other', async () => {
    let given: Started | undefined
    const { host, events, signal, running, out, error } = worlds.world(
      (options) => {
        given = options
        return {}
      },
      { KEY: 'hunter2', PATH: join(process.execPath, '..') },
    )
    const mcpJson = servers({
      'my tools': { command: 'node', env: { KEY: `\${KEY}` } },
      old: { command: 'node', disabled: true },
      docs: { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer \${KEY}` } },
    })
    const code = runProgram(['up', '--mcp-json', mcpJson], host)
    await running
    expect(out()).toBe(
      [
        'my tools  http://127.0.0.1:8080/my-tools/mcp  stdio',
        'docs      http://127.0.0.1:8080/docs/mcp      http',
        'old       disabled',
        '',
        'put one into a client:',
        '  npx causeway client add --client claude-code my-tools http://127.0.0.1:8080/my-tools/mcp',
        'ready; Ctrl-C stops',
        '',
      ].join('\n'),
    )
    signal()
    expect(await code).toBe(0)
    expect(events).toEqual(['start default/mcp-json', 'drain default/mcp-json'])
    expect(error(), 'nothing of what is secret').not.toContain('hunter2')
    expect(given?.environment).toEqual({ KEY: 'hunter2', PATH: join(process.execPath, '..') })
    expect(given?.change.upserts.find(({ kind }) => kind === 'relay')?.message).toMatchObject({
      mcp: { host: '127.0.0.1', port: 7007 },
    })
  })

  it('--json tells a program the same', async () => {
    const { host, signal, running, out } = worlds.world(() => ({}), { PATH: '' })
    const mcpJson = servers({ a: { command: 'no-such-program' }, off: { disabled: true } })
    const code = runProgram(['up', '--mcp-json', mcpJson, '--port', '0', '--json'], host)
    await running
    signal()
    await code
    const [warning, started] = out()
      .split('\n')
      .map((line) => (line === '' ? undefined : (JSON.parse(line) as unknown)))
    expect(warning).toEqual({
      event: 'warning',
      file: mcpJson,
      line: 1,
      column: 31,
      fieldPath: 'mcpServers.a.command',
      message: 'the program "no-such-program" is not found in PATH',
    })
    expect(started).toMatchObject({
      event: 'started',
      servers: [{ name: 'a', segment: 'a', url: 'http://127.0.0.1:8080/a/mcp', kind: 'stdio' }],
      disabled: ['off'],
    })
  })

  it('a port that is taken is told with the way out', async () => {
    const { host, error } = worlds.world(() => {
      throw new Refused({
        name: 'default/mcp-json',
        reason: 'ListenFailed',
        fieldPath: 'spec.listeners.mcp',
        message: 'listen EADDRINUSE: address already in use 127.0.0.1:7007',
      })
    })
    expect(await runProgram(['up', '--mcp-json', servers({ a: { url: 'https://h/x' } })], host)).toBe(1)
    expect(error()).toBe(
      'causeway: listen EADDRINUSE: address already in use 127.0.0.1:7007; --port takes another one, and --port 0 any that is free\n',
    )
  })

  it('problems are bad input, and nothing is started', async () => {
    const { host, events, error } = worlds.world()
    const mcpJson = servers({ a: {} })
    expect(await runProgram(['up', '--mcp-json', mcpJson], host)).toBe(2)
    expect(error()).toMatch(/^\S+mcp\.json:1:16: mcpServers\.a: needs command, as in /)
    expect(await runProgram(['up', '--mcp-json', join(worlds.folder, 'gone.json')], host)).toBe(2)
    expect(error()).toContain('gone.json: does not exist\n')
    expect(events).toEqual([])
  })

  it.each([
    [['x.yaml'], '--mcp-json stands alone'],
    [['--relay', 'edge'], '--relay belongs to configuration files'],
    [['--port', '65536'], 'It must be a number from 0 to 65535.'],
    [['--port', '7007x'], 'It must be a number from 0 to 65535.'],
  ])('with %j it is refused', async (more, message) => {
    const { host, error } = worlds.world()
    expect(await runProgram(['up', '--mcp-json', 'mcp.json', ...more], host)).toBe(2)
    expect(error()).toContain(message)
  })

  it('--port needs it', async () => {
    const { host, error } = worlds.world()
    expect(await runProgram(['up', worlds.file('kind: MeshRelay'), '--port', '1'], host)).toBe(2)
    expect(error()).toContain('error: --port belongs to --mcp-json')
  })
})

it('causeway connect hands its options on, headers in order, and ends as the connection does', async () => {
  const { host, events } = worlds.world()
  const files = ['--cacert', 'ca.pem', '--cert', 'me.pem', '--key', 'me.key']
  const options = ['--header', 'A: 1', ...files, '--header', 'B: 2']
  expect(await runProgram(['connect', 'http://127.0.0.1:8080/search', ...options], host)).toBe(1)
  const given = {
    url: 'http://127.0.0.1:8080/search',
    headers: ['A: 1', 'B: 2'],
    ...{ cacertFile: 'ca.pem', certFile: 'me.pem', keyFile: 'me.key' },
  }
  expect(events).toEqual([`connect ${JSON.stringify(given)}`])
})
