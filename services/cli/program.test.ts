import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RelayOptions, RelayStartError, type RunningRelay } from '@causeway/relay'
import { createMetrics } from '@causeway/telemetry'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CliHost } from './host.ts'
import { runProgram } from './program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(text: string, name = 'mesh.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const relay = (name: string) => `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: {name: ${name}}
spec: {identity: {keyFile: ${name}.pem}, listeners: {mcp: {port: 8080}}}
---
`
const routes = `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: search}
spec: {relayRefs: [{name: edge}], mcp: {url: "http://127.0.0.1:3001/mcp"}}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: {name: search}
spec: {relayRefs: [{name: edge}], path: /search, transparent: {target: {backendRef: {name: search}}}}
---
`

/** A world in which relays start as told, and nothing is real. */
function world(start: (options: RelayOptions) => Partial<RunningRelay> = () => ({}), environment = {}) {
  const events: string[] = []
  const signals: (() => void)[] = []
  const exits: (() => void)[] = []
  let out = ''
  let error = ''
  const running = Promise.withResolvers<void>()
  const host: CliHost = {
    environment,
    writeOut: (text) => {
      out += text
      if (text.includes('ready')) running.resolve()
    },
    writeError: (text) => {
      error += text
    },
    onStopSignal: (callback) => signals.push(callback),
    onExit: (callback) => exits.push(callback),
    exitNow: () => events.push('exit now'),
    loadRelay: async () => ({ startRelay, RelayStartError }),
    connect: async (options) => {
      events.push(`connect ${JSON.stringify(options)}`)
      return 1
    },
    machine: {
      platform: 'linux',
      homeFolder: folder,
      workingFolder: folder,
      node: '/usr/bin/node',
      connectLauncher: '/opt/causeway/connect/launch.mjs',
    },
  }
  async function startRelay(options: RelayOptions): Promise<RunningRelay> {
    const made = start(options)
    events.push(`start ${options.relayName}`)
    return {
      name: options.relayName,
      peerHandle: `handle of ${options.relayName}`,
      addresses: { mcp: { host: '127.0.0.1', port: 8080 } },
      metrics: createMetrics(),
      ready: () => ({ ok: true, reasons: [] }),
      drain: async () => void events.push(`drain ${options.relayName}`),
      stop: async () => void events.push(`stop ${options.relayName}`),
      killServers: () => void events.push(`kill the servers of ${options.relayName}`),
      ...made,
    }
  }
  const signal = () => {
    for (const callback of signals) callback()
  }
  const exit = () => {
    for (const callback of exits) callback()
  }
  return { host, events, signal, exit, running: running.promise, out: () => out, error: () => error }
}

describe('causeway up', () => {
  it('starts every relay, says where it listens, drains on a signal and ends with 0', async () => {
    const { host, events, signal, running, out } = world()
    const code = runProgram(['up', file(relay('edge') + routes), file(relay('far'), 'far.yaml')], host)
    await running
    expect(out()).toBe(
      [
        'relay default/edge',
        '  identity handle of default/edge',
        '  mcp      http://127.0.0.1:8080/search',
        'relay default/far',
        '  identity handle of default/far',
        '  mcp      http://127.0.0.1:8080, no routes',
        'ready; Ctrl-C stops',
        '',
      ].join('\n'),
    )
    signal()
    expect(await code).toBe(0)
    expect(events).toEqual(['start default/edge', 'start default/far', 'drain default/edge', 'drain default/far'])
    expect(out()).toMatch(/stopped\n$/)
  })

  it('gives a relay absolute paths, the whole set, and a logger that names it', async () => {
    let given: RelayOptions | undefined
    const { host, signal, running, error } = world((options) => {
      given = options
      options.logger.info({}, 'hello')
      return {}
    })
    const code = runProgram(['up', file(relay('edge') + routes), '--log-level', 'info'], host)
    await running
    signal()
    await code
    expect(given?.resources.relays[0]?.spec.identity.keyFile).toBe(join(folder, 'edge.pem'))
    expect(given?.resources.routes).toHaveLength(1)
    const [line = ''] = error().split('\n')
    expect(JSON.parse(line)).toMatchObject({ level: 'info', relay: 'default/edge', msg: 'hello' })
  })

  it('a second signal ends the process while it drains', async () => {
    const draining = Promise.withResolvers<void>()
    const { host, events, signal, running } = world(() => ({ drain: () => draining.promise }))
    const code = runProgram(['up', file(relay('edge'))], host)
    await running
    signal()
    expect(events).not.toContain('exit now')
    signal()
    expect(events).toContain('exit now')
    draining.resolve()
    expect(await code).toBe(0)
  })

  it('kills the servers of the relays that run when the process ends early, also while others are starting', async () => {
    const { host, events, exit, signal } = world(({ relayName }) => {
      if (relayName === 'default/far') {
        exit()
        signal()
      }
      return {}
    })
    await runProgram(['up', file(relay('edge') + relay('far'))], host)
    expect(events).toContain('kill the servers of default/edge')
    expect(events).not.toContain('kill the servers of default/far')
  })

  it('a signal while relays are starting is not lost', async () => {
    const { host, events, signal } = world(() => {
      signal()
      return {}
    })
    expect(await runProgram(['up', file(relay('edge'))], host)).toBe(0)
    expect(events).toEqual(['start default/edge', 'drain default/edge'])
  })

  it('warns of programs and folders that are not there, of the relays that it starts, and starts them', async () => {
    const backend = (name: string, relayName: string, stdio: string) => `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: ${name}}
spec: {relayRefs: [{name: ${relayName}}], mcp: {stdio: {${stdio}}}}
---
`
    const config = file(
      [
        relay('edge') + relay('far'),
        backend('well', 'edge', 'command: node, cwd: .'),
        backend('slip', 'edge', 'command: no-such-program'),
        backend('lost', 'edge', 'command: ./gone.sh, cwd: nowhere'),
        backend('other', 'far', 'command: no-such-program'),
      ].join(''),
    )
    const made = world(() => ({}), { PATH: join(process.execPath, '..') })
    const code = runProgram(['up', config, '--relay', 'edge', '--json'], made.host)
    await made.running
    made.signal()
    expect(await code).toBe(0)
    const lost = `the program "${join(folder, 'gone.sh')}" is not there, or not executable`
    const nowhere = `the folder "${join(folder, 'nowhere')}" is not there`
    const warnings = made.error().split('\n')
    expect(warnings.filter((line) => line.startsWith('warning: '))).toEqual([
      `warning: MeshBackend/default/lost: spec.mcp.stdio.command: ${lost}`,
      `warning: MeshBackend/default/lost: spec.mcp.stdio.cwd: ${nowhere}`,
      'warning: MeshBackend/default/slip: spec.mcp.stdio.command: the program "no-such-program" is not found in PATH',
    ])
    expect(JSON.parse(made.out().split('\n')[0] ?? '')).toEqual({
      event: 'warning',
      kind: 'MeshBackend',
      name: 'default/lost',
      fieldPath: 'spec.mcp.stdio.command',
      message: lost,
    })
  })

  it('--relay starts one of them, by name or namespace and name', async () => {
    for (const name of ['far', 'default/far']) {
      const { host, events, signal, running } = world()
      const code = runProgram(['up', file(relay('edge') + relay('far')), '--relay', name], host)
      await running
      signal()
      expect(await code).toBe(0)
      expect(events).toEqual(['start default/far', 'drain default/far'])
    }
  })

  it('--relay of nobody, and files without a relay, are bad input', async () => {
    const { host, events, error } = world()
    expect(await runProgram(['up', file(relay('edge')), '--relay', 'moon'], host)).toBe(2)
    expect(error()).toBe('causeway: --relay does not name exactly one MeshRelay; the files describe default/edge\n')
    expect(await runProgram(['up', file('# nothing\n')], host)).toBe(2)
    expect(error()).toContain('the files describe no MeshRelay; there is nothing to start\n')
    expect(events).toEqual([])
  })

  it('every problem of every file, and nothing is started', async () => {
    const { host, events, error } = world()
    const bad = file(relay('edge').replace('8080', '80800'), 'bad.yaml')
    const worse = file('kind: [', 'worse.yaml')
    expect(await runProgram(['up', bad, worse], host)).toBe(2)
    expect(error().split('\n')).toEqual([
      `${bad}:5:63: MeshRelay/default/edge: spec.listeners.mcp.port: must be at most 65535`,
      expect.stringContaining(`${worse}:1:8: YAML: `),
      '',
    ])
    expect(events).toEqual([])
  })

  it('a relay that cannot start stops the others, and each reason is told', async () => {
    const { host, events, error } = world(({ relayName }) => {
      if (relayName === 'default/edge')
        throw new RelayStartError('KEY_FILE', 'spec.identity.keyFile', 'edge.pem does not exist')
      if (relayName === 'default/moon') throw new RelayStartError('LISTEN', 'spec.listeners.mcp', 'port 8080 is in use')
      return {}
    })
    const all = file(relay('edge') + relay('far') + relay('moon'))
    expect(await runProgram(['up', all], host)).toBe(1)
    expect(error()).toBe(
      'MeshRelay/default/edge: spec.identity.keyFile: edge.pem does not exist\n' +
        'MeshRelay/default/moon: spec.listeners.mcp: port 8080 is in use\n',
    )
    expect(events).toEqual(['start default/far', 'stop default/far'])
    expect(await runProgram(['up', all, '--relay', 'edge'], host), 'a wrong key file alone is bad input').toBe(2)
  })

  it.each([
    [
      'listen EADDRINUSE: address already in use 127.0.0.1:8080',
      '; end what listens there, which may be another causeway, or set spec.listeners.mcp.port to another port (0: any that is free)',
    ],
    [
      'listen EADDRNOTAVAIL: address not available 192.0.2.1:8080',
      '; this machine has no such address: set spec.listeners.mcp.host to one that it has',
    ],
    [
      'listen EACCES: permission denied 127.0.0.1:80',
      '; ports below 1024 are for privileged users: set spec.listeners.mcp.port to a higher one',
    ],
    ['something else', ''],
  ])('a listener that cannot be had is told with the way out: %s', async (message, wayOut) => {
    const { host, error } = world(() => {
      throw new RelayStartError('LISTEN', 'spec.listeners.mcp', message)
    })
    expect(await runProgram(['up', file(relay('edge'))], host)).toBe(1)
    expect(error()).toBe(`MeshRelay/default/edge: spec.listeners.mcp: ${message}${wayOut}\n`)
  })

  it('--json tells a program the same', async () => {
    const { host, signal, running, out } = world(({ relayName }) => {
      if (relayName === 'default/bad') throw new RelayStartError('LISTEN', 'spec.listeners.mcp', 'in use')
      return {}
    })
    const code = runProgram(['up', file(relay('edge')), '--json'], host)
    await running
    signal()
    await code
    await runProgram(['up', file(relay('bad')), '--json'], host)
    await runProgram(['up', join(folder, 'nothing.yaml'), '--json'], host)
    await runProgram(['up', file(relay('edge')), '--relay', 'moon', '--json'], host)
    const lines = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual([
      {
        event: 'started',
        relay: 'default/edge',
        peerHandle: 'handle of default/edge',
        addresses: { mcp: { host: '127.0.0.1', port: 8080 } },
      },
      { event: 'ready' },
      { event: 'stopped' },
      {
        event: 'not-started',
        failures: [{ relay: 'default/bad', code: 'LISTEN', fieldPath: 'spec.listeners.mcp', message: 'in use' }],
      },
      {
        event: 'refused',
        problems: [
          { file: join(folder, 'nothing.yaml'), line: 0, column: 0, fieldPath: '', message: 'does not exist' },
        ],
      },
      { event: 'refused', message: expect.stringContaining('--relay does not name') },
    ])
  })
})

describe('causeway up --mcp-json', () => {
  const servers = (value: object) => file(JSON.stringify({ mcpServers: value }), 'mcp.json')

  it('serves every server, says at which URL, and ends as any other', async () => {
    let given: RelayOptions | undefined
    const { host, events, signal, running, out, error } = world(
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
    expect(given?.resources.relays[0]?.spec.listeners.mcp).toMatchObject({ host: '127.0.0.1', port: 7007 })
  })

  it('--json tells a program the same', async () => {
    const { host, signal, running, out } = world(() => ({}), { PATH: '' })
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
    const { host, error } = world(() => {
      throw new RelayStartError(
        'LISTEN',
        'spec.listeners.mcp',
        'listen EADDRINUSE: address already in use 127.0.0.1:7007',
      )
    })
    expect(await runProgram(['up', '--mcp-json', servers({ a: { url: 'https://h/x' } })], host)).toBe(1)
    expect(error()).toBe(
      'causeway: listen EADDRINUSE: address already in use 127.0.0.1:7007; --port takes another one, and --port 0 any that is free\n',
    )
  })

  it('problems are bad input, and nothing is started', async () => {
    const { host, events, error } = world()
    const mcpJson = servers({ a: {} })
    expect(await runProgram(['up', '--mcp-json', mcpJson], host)).toBe(2)
    expect(error()).toMatch(/^\S+mcp\.json:1:16: mcpServers\.a: needs command, as in /)
    expect(await runProgram(['up', '--mcp-json', join(folder, 'gone.json')], host)).toBe(2)
    expect(error()).toContain('gone.json: does not exist\n')
    expect(events).toEqual([])
  })

  it.each([
    [['x.yaml'], '--mcp-json stands alone'],
    [['--relay', 'edge'], '--relay belongs to configuration files'],
    [['--port', '65536'], 'It must be a number from 0 to 65535.'],
    [['--port', '7007x'], 'It must be a number from 0 to 65535.'],
  ])('with %j it is refused', async (more, message) => {
    const { host, error } = world()
    expect(await runProgram(['up', '--mcp-json', 'mcp.json', ...more], host)).toBe(2)
    expect(error()).toContain(message)
  })

  it('--port needs it', async () => {
    const { host, error } = world()
    expect(await runProgram(['up', file(relay('edge')), '--port', '1'], host)).toBe(2)
    expect(error()).toContain('error: --port belongs to --mcp-json')
  })
})

it('causeway connect hands its options on, headers in order, and ends as the connection does', async () => {
  const { host, events } = world()
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

describe('the command line', () => {
  it.each([[], ['up'], ['upp'], ['keys'], ['up', 'x', '--log-level', 'loud'], ['keys', 'show'], ['up', 'x', '--nope']])(
    '%j is refused with a hint',
    async (...args) => {
      const { host, error } = world()
      expect(await runProgram(args, host)).toBe(2)
      expect(error()).toMatch(/error: |Usage: /)
    },
  )

  it('--help and --version end well', async () => {
    const { host, out } = world()
    expect(await runProgram(['--help'], host)).toBe(0)
    expect(await runProgram(['--version'], host)).toBe(0)
    expect(out()).toMatch(/Usage: causeway[\s\S]*\n\d+\.\d+\.\d+\n$/)
  })

  it('a defect is told with its stack and ends with 1', async () => {
    const { host, error } = world(() => {
      throw new TypeError('a defect')
    })
    expect(await runProgram(['up', file(relay('edge'))], host)).toBe(1)
    expect(error()).toContain('causeway: TypeError: a defect\n    at ')
  })
})
